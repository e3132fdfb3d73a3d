import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasPty, openPty, type Pty } from '../listen/testing/pty.ts'
import { callSluice } from '../testing/call-sluice.ts'
import { repository, startSluice } from '../testing/run-sluice.ts'
import { type GatewayProcess, readUntil, startGateway } from '../testing/start-gateway.ts'

let folder: string
const gateways: GatewayProcess[] = []
const terminals: Pty[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-run-'))
})
afterEach(async () => {
  for (const pty of terminals.splice(0)) pty.close()
  for (const gateway of gateways.splice(0)) await gateway.end('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const data = (): readonly string[] => ['--data', join(folder, 'data')]
const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A gateway whose agent runs this program. */
async function serve(program: string, more: object = {}): Promise<GatewayProcess> {
  const path = join(folder, 'agent.mjs')
  writeFileSync(path, program)
  const config = join(folder, 'sluice.config.json')
  const agent = { type: 'command', command: [process.execPath, path], dialect: 'stream-event', ...more }
  writeFileSync(config, JSON.stringify({ agents: { mine: agent } }))
  const gateway = await startGateway(join(folder, 'data'), ['--config', config])
  gateways.push(gateway)
  return gateway
}

const print = (value: object): string => `console.log(${JSON.stringify(JSON.stringify(value))})\n`
const answer = print({ type: 'answer', data: 'Here it is.' })

describe('sluice run', () => {
  test('brings a gateway where none runs, and leaves the session in its data', async () => {
    const run = await callSluice(['run', 'demo', 'Plan a weekend, fast and quiet', ...data()])
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    const entries = linesOf(run.stdout)
    expect(entries.at(-1)).toMatchObject({ events: [{}, { kind: 'session-end', outcome: 'completed' }] })
    const gateway = await startGateway(join(folder, 'data'))
    gateways.push(gateway)
    const { stdout } = await callSluice(['sessions', ...data()])
    expect(stdout).toContain('completed')
  })

  test('prints frames of the dialect that it is asked for', async () => {
    const run = await callSluice(['run', 'demo', 'fast and quiet', '--dialect', 'agent-event', ...data()])
    expect(run.code).toBe(0)
    const frames = linesOf(run.stdout)
    expect(frames.some((frame) => frame['kind'] === 'ToolCall')).toBe(true)
    expect(frames.at(-1)).toMatchObject({ completion: { ok: { status: { code: 0 } } } })
  })

  test('runs in the gateway of the data directory, and tells by its exit code how it went', async () => {
    await serve(`${answer}process.exitCode = process.argv[2] === 'fail' ? 3 : 0`, { prompt: 'argument' })
    const run = await callSluice(['run', 'mine', 'go', '--output', 'text', ...data()])
    expect(run.stdout).toContain('Here it is.\n')
    expect(run.code).toBe(0)
    const failed = await callSluice(['run', 'mine', 'fail', '--output', 'text', ...data()])
    expect(failed.stdout).toMatch(/^# failed/m)
    expect(failed.code).toBe(1)
  })

  test.each<[string, readonly string[], number, RegExp]>([
    ['no prompt', ['run', 'demo'], 2, /Usage: sluice run AGENT PROMPT/],
    ['an empty prompt', ['run', 'demo', ' '], 2, /prompt must not be empty/],
    ['an agent that is not there', ['run', 'nobody', 'go'], 4, /no such agent/],
    ['a span that is none', ['run', 'demo', 'go', '--timeout', 'soon'], 2, /--timeout needs a span/],
    ['a variable that is not allowed', ['run', 'demo', 'go', '--env', 'A=1'], 2, /allowEnv/],
    ['no program', ['run', '--dialect', 'aaep', '--'], 2, /Usage: sluice run --dialect/],
    ['a program without a dialect', ['run', '--', 'true'], 2, /Usage: sluice run --dialect/],
  ])('refuses %s', async (_, args, code, message) => {
    const run = await callSluice([...args.slice(0, 1), ...data(), ...args.slice(1)])
    expect(run.stderr).toMatch(message)
    expect(run.code).toBe(code)
  })

  test('refuses a directory that the gateway does not allow', async () => {
    await serve(answer, { workingDirs: [folder] })
    const run = await callSluice(['run', 'mine', 'go', '--cwd', '/', ...data()])
    expect(run.stderr).toMatch(/workingDirs/)
    expect(run.code).toBe(2)
    mkdirSync(join(folder, 'below'))
    expect((await callSluice(['run', 'mine', 'go', '--cwd', join(folder, 'below'), ...data()])).code).toBe(0)
  })
})

describe('sluice run -- PROGRAM', () => {
  test('publishes what a program prints, and ends as it ends', async () => {
    const recording = join(repository, 'examples/recording.aaep.ndjson')
    const run = await callSluice(['run', ...data(), '--dialect', 'aaep', '--', 'cat', recording])
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    const entries = linesOf(run.stdout)
    expect(entries).toHaveLength(readFileSync(recording, 'utf8').trim().split('\n').length)
    expect(entries.at(-1)).toMatchObject({ events: [{ kind: 'session-end', outcome: 'completed' }] })
    // Every run has its own session, whatever the program calls it.
    const again = await callSluice(['run', ...data(), '--dialect', 'aaep', '--', 'cat', recording])
    expect(again.code).toBe(0)
    expect(linesOf(again.stdout)).toHaveLength(entries.length)
  })

  test('gives it a prompt, and tells a failure once', async () => {
    const program = 'process.stdin.pipe(process.stderr); process.exitCode = 3'
    const run = await callSluice([
      ...['run', ...data(), '--dialect', 'stream-event', '--prompt', 'RAW-SECRET'],
      ...['--', process.execPath, '-e', program],
    ])
    expect(run.code).toBe(1)
    expect(run.stdout.match(/"kind":"session-end","outcome":"failed"/g)).toHaveLength(1)
    expect(run.stdout).not.toContain('RAW-SECRET')
  })
})

test('nobody else publishes to the session of a program, which asks the person at the terminal', async () => {
  const gateway = await serve(answer)
  const program = `${answer}setInterval(() => {}, 1000)`
  const child = startSluice([
    ...['run', ...data(), '--dialect', 'stream-event', '--', process.execPath, '-e', program],
  ])
  try {
    await readUntil(child.stdout, /Here it is/)
    const { stdout } = await callSluice(['sessions', '--json', ...data()])
    const question = {
      kind: 'question-open',
      question: 'confirmation',
      token: 't',
      text: 'Delete everything?',
    }
    const response = await fetch(`${gateway.url}/v1/sessions/${linesOf(stdout)[0]?.['id']}/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'sluice-dialect': 'sluice' },
      body: `${JSON.stringify({ events: [question] })}\n`,
    })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'session_reserved' })
  } finally {
    child.kill('SIGINT')
    await once(child, 'exit')
  }
})

test('what the gateway refuses of a program is told', async () => {
  const lines = [{ type: 'answer', data: 'ok' }, 'no event', { type: 'answer', data: 'fine' }]
  const program = lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))})`).join(';')
  const run = await callSluice([
    ...['run', ...data(), '--dialect', 'stream-event', '--output', 'text', '--', process.execPath, '-e'],
    program,
  ])
  expect(run.stdout).toContain('fine')
  expect(run.code).toBe(0)
})

describe.skipIf(!hasPty())('sluice run on a terminal', () => {
  const open = (...args: readonly string[]): Pty => {
    const pty = openPty(args)
    terminals.push(pty)
    return pty
  }

  test('asks the person, who answers by a line', async () => {
    const pty = open('run', 'demo', 'fast', ...data())
    await pty.until('Type 1 to ')
    pty.press('none of them\n')
    await pty.until('Type 1 to ')
    pty.press('1\n')
    await pty.until('Type y or n and press Enter.')
    pty.press('y\n')
    await pty.until(': accept')
    await pty.until('# completed')
    expect(await pty.exited()).toBe(0)
  })

  test('cancels at Ctrl-C', async () => {
    const pty = open('run', 'demo', 'long', ...data())
    await pty.until('# Demo')
    pty.press('\u0003')
    await pty.until('Cancelling.')
    await pty.until('# cancelled')
    expect(await pty.exited()).toBe(130)
  })
})
