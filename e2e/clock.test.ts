import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from './testing/gateway-process.ts'
import { readSse } from './testing/http-reading.ts'
import { publishText } from './testing/publish.ts'
import { until } from './testing/until.ts'

const hour = 3_600_000
const session = 'sess_stepped'

/** Loaded into the gateway before anything else: at SIGUSR2, sets the time of day as the environment says. */
const preload = `
import { writeFileSync } from 'node:fs'
const { STEP_MS, STEPPED_FILE } = process.env
const read = Date.now
process.on('SIGUSR2', () => {
  Date.now = () => read() + Number(STEP_MS)
  writeFileSync(STEPPED_FILE, '')
})
`

let folder: string
let gateway: GatewayProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-clock-'))
})
afterEach(async () => {
  await gateway?.remove()
  await rm(folder, { recursive: true, force: true })
})

test.each([-hour, hour])(
  'a gateway whose clock is set by %i ms serves, joins text and closes questions',
  async (stepMs) => {
    const preloadFile = join(folder, 'step.mjs')
    const stepped = join(folder, 'stepped')
    await writeFile(preloadFile, preload)
    const started = await startGatewayProcess({
      nodeOptions: ['--import', pathToFileURL(preloadFile).href],
      settings: { STEP_MS: String(stepMs), STEPPED_FILE: stepped, SLUICE_LIMITS_REQUESTS_PER_SECOND: '20' },
    })
    gateway = started
    const { url, pid } = started
    const publish = (event: object) =>
      publishText(url, session, { dialect: 'sluice', text: JSON.stringify({ events: [event] }) })
    const say = (text: string) =>
      publish({ kind: 'text-delta', output: 'o', take: 0, position: 0, channel: 'answer', text })
    const texts: string[] = []
    const has = (part: string) => () => texts.some((text) => text.includes(part))

    await publish({ kind: 'session-start' })
    const view = { url, session, dialect: 'sluice', coalesce: '40ms', after: '-1' }
    const reading = readSse(view, ({ text }) => void texts.push(text))
    await reading.opened
    const timeoutMs = 700
    await publish({
      kind: 'question-open',
      question: 'confirmation',
      token: 'rpl_s',
      text: 'Go on?',
      timeoutMs,
    })
    await say('before ')
    process.kill(pid, 'SIGUSR2')
    await until(() => existsSync(stepped))

    expect((await fetch(`${url}/v1/sessions`)).status).toBe(200)
    await say('after ')
    await until(has('after '))
    await until(has('question-close'))
    await say('later ')
    await until(has('later '))
    const at = texts.flatMap((text) => (JSON.parse(text) as { readonly at?: number }).at ?? [])
    expect(at.length).toBeGreaterThan(3)
    expect(at).toEqual(at.toSorted((a, b) => a - b))
    reading.cut()
  },
  20_000,
)
