import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, JsonObject } from '@sluice/protocol'
import { beforeEach, describe, expect, test } from 'vitest'
import { createDemoAgent, type DemoAgent, readDemo } from './demo-agent.ts'

const recording = [
  { type: 'started', session_id: 'sess_rec', timestamp: '2026-05-24T14:00:00.000Z', request_text: 'Old.' },
  { type: 'state', session_id: 'sess_rec', timestamp: '2026-05-24T14:00:01.500Z' },
  { type: 'done', session_id: 'sess_rec', timestamp: '2026-05-24T14:10:00.000Z' },
]
let waiting: { readonly ms: number; readonly run: () => void }[]
let published: (readonly [string, JsonObject])[]
let problems: unknown[]
let failure: Error | undefined
let agent: DemoAgent

/** Time passes when the test runs what waits. */
const clock: Clock = {
  now: () => Date.UTC(2026, 0, 1),
  after(ms, run) {
    const timer = { ms, run }
    waiting.push(timer)
    return { clear: () => void waiting.splice(waiting.indexOf(timer), 1) }
  },
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function passTime(): Promise<number | undefined> {
  const next = waiting.shift()
  next?.run()
  await turn()
  return next?.ms
}

beforeEach(() => {
  waiting = []
  published = []
  problems = []
  failure = undefined
  agent = createDemoAgent(recording, {
    clock,
    publish: async (session, event) => {
      if (failure !== undefined) throw failure
      published.push([session, event])
    },
    onProblem: (error) => problems.push(error),
  })
})

describe('a demo agent', () => {
  test('plays the recording under an id of its own, with the request, in its rhythm', async () => {
    const session = await agent.start('A train to Faro.')
    expect(session).toMatch(/^sess_rec\w+$/)
    expect(published).toEqual([
      [session, expect.objectContaining({ session_id: session, request_text: 'A train to Faro.' })],
    ])
    expect(await passTime()).toBe(1500)
    // Nobody waits ten minutes for a demo.
    expect(await passTime()).toBe(5000)
    expect(published.map(([, event]) => event['type'])).toEqual(['started', 'state', 'done'])
    expect(published[1]?.[1]).toMatchObject({ timestamp: '2026-01-01T00:00:00.000Z' })
    expect(published[1]?.[1]).not.toHaveProperty('request_text')
  })

  test('plays two at once as two sessions, and no more than sixteen', async () => {
    const sessions = await Promise.all(Array.from({ length: 16 }, () => agent.start('x')))
    expect(new Set(sessions).size).toBe(16)
    await expect(agent.start('x')).rejects.toMatchObject({ code: 'rate_limited' })
    for (let i = 0; i < 32; i++) await passTime()
    await expect(agent.start('x')).resolves.toMatch(/^sess_rec/)
  })

  test('tells when a session cannot go on, and stops when it is told to', async () => {
    await agent.start('x')
    failure = new Error('gone')
    await passTime()
    expect(problems).toEqual([failure])
    await expect(agent.start('x')).rejects.toBe(failure)
    failure = undefined
    await agent.start('x')
    agent.stop()
    await turn()
    expect(waiting).toEqual([])
    expect(published).toHaveLength(2)
  })
})

test('readDemo() says which file cannot be played', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'))
  const path = join(folder, 'demo.ndjson')
  await expect(readDemo(path)).rejects.toMatchObject({ code: 'unreadable_input' })
  await writeFile(path, '\n')
  await expect(readDemo(path)).rejects.toThrow(path)
  await writeFile(path, '{"a":1}\n')
  expect(await readDemo(path)).toEqual([{ a: 1 }])
  await rm(folder, { recursive: true })
})
