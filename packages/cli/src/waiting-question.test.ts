import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'
import { startSluice } from './testing/run-sluice.ts'
import { createDataDirectory, type GatewayProcess, readUntil, startGateway } from './testing/start-gateway.ts'

let data = ''
let removeData: () => Promise<void>
let gateway: GatewayProcess
beforeEach(async () => {
  ;[data, removeData] = await createDataDirectory()
  gateway = await startGateway(data)
})
afterEach(async () => {
  await gateway.end('SIGKILL')
  await removeData()
})

const event = (value: object): string => `${JSON.stringify({ events: [value] })}\n`
const question = (token: string, text: string): string =>
  event({
    kind: 'question-open',
    question: 'confirmation',
    token,
    text,
    timeoutMs: 600_000,
    default: 'reject',
  })
const session =
  question('rpl_answered', 'An old question?') +
  event({ kind: 'question-close', token: 'rpl_answered', how: 'answered', decision: 'accept' }) +
  question('rpl_waiting', 'Delete everything?')

describe('without a terminal, a question that waits is told at once, and how to answer it', () => {
  test.each([
    ['tail', ['tail', 'sess_asks']],
    ['tail as text', ['tail', 'sess_asks', '--output', 'text']],
    ['tail in another dialect', ['tail', 'sess_asks', '--dialect', 'a2a']],
    ['listen', ['listen', 'sess_asks']],
    ['run', ['run', 'demo', 'Plan a weekend, fast']],
    ['run in another dialect', ['run', 'demo', 'Plan a weekend, fast', '--dialect', 'agent-event']],
  ])('%s', async (name, args) => {
    const publish = ['publish', 'sess_asks', '--dialect', 'sluice', '--data', data]
    expect((await callSluice(publish, session)).code).toBe(0)
    const child = startSluice([...args, '--data', data])
    child.stdout.resume()
    try {
      const told = await readUntil(child.stderr, /In the console: .*\n/)
      const [asks, terminal, page] = told.trim().split('\n')
      expect(asks).toMatch(/^sluice: A question is waiting for an answer: .+ \(within \d+ s, else \w+\)$/)
      expect(terminal).toMatch(/^sluice: To answer it in a terminal: npx sluice listen sess_\w+ --data \S+$/)
      expect(page).toMatch(/^sluice: In the console: http:\/\/127\.0\.0\.1:\d+\/sessions\/sess_\w+$/)
      if (!name.startsWith('run')) expect(asks).toContain('Delete everything?')
      expect(told).not.toContain('An old question?')
      expect(child.exitCode).toBe(null)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
})
