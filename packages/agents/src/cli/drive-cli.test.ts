import { isJsonObject, SluiceError } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import { groupMembers } from '../process/group-members.ts'
import { createRun } from '../run/create-run.ts'
import { createFakeProgram, type FakeProgram, type FakeStep } from '../testing/fake-program.ts'
import { playRun } from '../testing/play-run.ts'
import { realClock } from '../testing/real-clock.ts'
import type { CliAgent } from './cli-agent.ts'
import { driveCli } from './drive-cli.ts'

const programs: FakeProgram[] = []
afterEach(() => {
  for (const program of programs.splice(0)) program.remove()
})

/** Says what it is told: `{ say }` a notice, `{ done }` that it is done. */
const plain: CliAgent<number> = {
  kind: 'plain',
  label: 'plain',
  title: 'Plain',
  binary: 'plain',
  install: 'npm install plain',
  versionArgs: ['--version'],
  capabilities: ['agent_api.run'],
  rules: { kind: 'plain', extensions: [] },
  escalation: [{ signal: 'SIGTERM', graceMs: 200 }],
  command: ({ prompt }) => ({ args: ['--stream'], stdin: prompt, keepsStdin: false }),
  mapper: {
    format: 'json',
    initial: () => 0,
    step(state, line) {
      if (!isJsonObject(line)) return { state, events: [] }
      const { say, done } = line
      return {
        state: state + 1,
        events: typeof say === 'string' ? [{ kind: 'notice', level: 'info', text: say }] : [],
        ...(typeof done === 'boolean'
          ? { verdict: done ? { ok: true, finalText: 'done' } : { ok: false, message: 'plain failed' } }
          : {}),
      }
    },
    end: (state) => ({ state, events: [] }),
  },
  classify: () => undefined,
  exitMessage: ({ code }) => `plain exited non-zero: code=${code}`,
}

function play(steps: readonly FakeStep[], timeoutMs?: number) {
  const program = createFakeProgram('plain', steps)
  programs.push(program)
  const request = {
    prompt: 'hello\n',
    cwd: program.folder,
    timeoutMs,
    env: { PATH: process.env['PATH'] ?? '' },
    model: undefined,
    addDirs: [],
    nonInteractive: true,
    externalSandbox: false,
    resume: undefined,
    fork: undefined,
    own: {},
  }
  const agent = {
    kind: 'plain',
    capabilities: [],
    look: async () => ({ isInstalled: true }),
    run: (_: unknown, host: Parameters<typeof driveCli>[0]['host']) =>
      createRun((sink) =>
        driveCli(
          {
            agent: plain,
            file: program.path,
            request,
            options: { permissions: 'deny', askTimeoutMs: 1000 },
            timings: { idleMs: 10_000, lingerMs: 200, drainMs: 200 },
            host,
          },
          sink,
        ),
      ),
  }
  return { program, played: playRun(agent, { prompt: 'hello' }) }
}

const textsOf = (events: readonly { kind: string; text?: unknown }[]): readonly unknown[] =>
  events.map(({ text }) => text)

test('a run gets its prompt and the end of its input, and says what the program says', async () => {
  const { program, played } = play([{ awaitEnd: true }, { print: { say: 'one' } }, { print: { done: true } }])
  const { events, completion } = await played
  expect(textsOf(events)).toEqual(['one'])
  expect(completion).toEqual({ status: { code: 0, signal: null }, finalText: 'done' })
  expect(program.call()).toMatchObject({ args: ['--stream'], stdin: 'hello\n', isStdinClosed: true })
})

test('a program that stays after its last word, or leaves something behind, is ended', async () => {
  const { played } = play([
    { ignore: 'SIGTERM' },
    { grandchild: 'holds-pipe' },
    { print: { say: 'one' } },
    { print: { done: true } },
    { hang: true },
  ])
  const { completion, process } = await played
  expect(completion).toMatchObject({ status: { signal: 'SIGKILL' }, finalText: 'done' })
  expect(await groupMembers(process?.pid ?? 0)).toEqual([])
})

test('a program that exits and leaves the pipe to another does not hold up the run', async () => {
  const { played } = play([{ grandchild: 'holds-pipe' }, { print: { done: true } }])
  const { completion, process } = await played
  expect(completion).toMatchObject({ status: { code: 0 } })
  expect(await groupMembers(process?.pid ?? 0)).toEqual([])
})

test.each<[string, readonly FakeStep[], string]>([
  ['an exit code', [{ print: { say: 'x' } }, { exit: 3 }], 'plain exited non-zero: code=3'],
  ['no last word', [{ print: { say: 'x' } }], 'plain backend error: ended without a result'],
  ['a last word that says so', [{ print: { done: false } }, { print: { done: true } }], 'plain failed'],
  ['its time', [{ hang: true }], 'plain backend error: timeout'],
])('a run that fails by %s tells it once and ends with it', async (_, steps, message) => {
  const { events, completion } = await play(steps, 500).played
  const errors = events.filter((event) => event.kind === 'notice' && event.level === 'error')
  expect(textsOf(errors)).toEqual([message])
  expect(completion).toBeInstanceOf(SluiceError)
  expect(completion).toMatchObject({ code: 'run_failed', message })
})

test('lines that cannot be read are told by their length, and reading goes on', async () => {
  const { played } = play([
    { print: 'RAW SECRET {' },
    { bytes: '/w==', encoding: 'base64' },
    { print: '' },
    { print: { say: 'after' } },
    { print: { done: true } },
  ])
  const { events } = await played
  expect(textsOf(events)).toEqual([
    'malformed output line (line_bytes=12)',
    'malformed output line (line_bytes=1)',
    'after',
  ])
})

test('a cancel ends the outputs at once, and the run when nothing of it is left', async () => {
  const program = createFakeProgram('plain', [
    { ignore: 'SIGTERM' },
    { print: { say: 'one' } },
    { hang: true },
  ])
  programs.push(program)
  let pid = 0
  const run = createRun((sink) =>
    driveCli(
      {
        agent: plain,
        file: program.path,
        request: {
          prompt: 'x',
          cwd: program.folder,
          timeoutMs: undefined,
          env: {},
          model: undefined,
          addDirs: [],
          nonInteractive: true,
          externalSandbox: false,
          resume: undefined,
          fork: undefined,
          own: {},
        },
        options: { permissions: 'deny', askTimeoutMs: 1000 },
        timings: { idleMs: 10_000, lingerMs: 200, drainMs: 200 },
        host: {
          clock: realClock,
          async onProcess(started) {
            pid = started.pid
          },
        },
      },
      sink,
    ),
  )
  for await (const _ of run.outputs) {
    run.cancel()
    run.cancel()
  }
  await expect(run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
  expect(await groupMembers(pid)).toEqual([])
})
