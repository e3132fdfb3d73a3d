import { SluiceError, type SluiceEvent } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, expect, test } from 'vitest'
import { markedProcesses } from '../process/marked-processes.ts'
import { externalSandboxKey } from '../request/extension-keys.ts'
import type { FakeStep } from '../testing/fake-program.ts'
import { answerIn, answerOf, judgeRun } from '../testing/judge-run.ts'
import { plainAgent } from '../testing/plain-agent.ts'
import { createPlainStage, readEvents } from '../testing/plain-stage.ts'
import { until } from '../testing/until.ts'

const { play, begin, clear } = createPlainStage()
afterEach(clear)

const say = (text: string): FakeStep => ({ print: { say: text, id: 'm1' } })
const done: FakeStep = { print: { done: true } }
const noticesOf = (events: readonly SluiceEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === 'notice' ? [event.text] : []))

test('a run gets its prompt and the end of its input, and says what the program says', async () => {
  const { program, ...run } = await play([{ awaitEnd: true }, say('one'), done])
  expect(answerOf(await judgeRun(run))).toBe('one')
  expect(run.completion).toEqual({ status: { code: 0, signal: null }, finalText: 'done' })
  expect(program.call()).toMatchObject({ args: ['--stream'], stdin: 'hello\n', isStdinClosed: true })
})

test('what a program says can be read while it runs', async () => {
  const { program, run } = begin([say('one'), { awaitFile: 'go' }, done])
  const reader = run.outputs[Symbol.asyncIterator]()
  expect(await reader.next()).toMatchObject({ value: { events: [{ text: 'one' }] } })
  program.release('go')
  while (!(await reader.next()).done);
  expect(await run.completion).toMatchObject({ status: { code: 0 } })
})

test('its process is told of before it gets its prompt', async () => {
  let stdin: string | undefined
  const { run, program } = begin(
    [{ print: { say: 'up', id: 'm1' } }, { awaitEnd: true }, done],
    {},
    {
      async onProcess(process) {
        expect(process).toEqual({
          pid: expect.any(Number),
          startMark: expect.stringMatching(/\d/),
          marker: expect.stringMatching(/^[0-9a-f-]{36}$/),
        })
        while (program.call() === undefined) await new Promise((resolve) => setImmediate(resolve))
        stdin = program.call()?.stdin
      },
    },
  )
  await readEvents(run)
  expect(await run.completion).toMatchObject({ status: { code: 0 } })
  expect(stdin).toBe('')
  expect(program.call()?.stdin).toBe('hello\n')
})

test('a process of which nobody can be told is ended without its prompt', async () => {
  const onProcess = async (): Promise<void> => {
    throw new Error('SECRET')
  }
  const { run, program, members } = begin([{ awaitEnd: true }, { hang: true }], {}, { onProcess })
  const events = await readEvents(run)
  expect(noticesOf(events)).toEqual(['the agent could not be run'])
  await expect(run.completion).rejects.toMatchObject({ code: 'run_failed' })
  expect(await members()).toEqual([])
  expect(program.call()?.stdin ?? '').toBe('')
})

test('a program gets the variables of its command, less those that are taken away', async () => {
  const command = (): ReturnType<typeof plainAgent.command> => ({
    args: [],
    stdin: '',
    keepsStdin: false,
    env: { TAKEN: undefined, OWN: '2' },
  })
  const { program } = await play([done], { agent: { command } })
  expect(program.call()?.env).toMatchObject({ KEPT: '1', OWN: '2' })
  expect(program.call()?.env).not.toHaveProperty('TAKEN')
})

test('a run without the protections of its program says so first, also where it cannot begin', async () => {
  const agent = { rules: { kind: 'plain', extensions: [externalSandboxKey] } }
  const extensions = { [externalSandboxKey]: true }
  const warning = {
    kind: 'notice',
    level: 'warning',
    text: 'DANGEROUS: external sandbox exec policy enabled (agent_api.exec.external_sandbox.v1=true)',
  }
  const staged = { agent, extensions, requestsMayRaisePermissions: true }
  const begun = await play([{ print: { session: 's' } }, say('one'), done], staged)
  expect(begun.events[0]).toMatchObject(warning)
  expect(begun.events.filter((event) => event.kind === 'notice' && event.level === 'warning')).toHaveLength(1)
  const failed = await play([], { ...staged, workingDir: '/nowhere' })
  expect(failed.events).toEqual([
    expect.objectContaining(warning),
    expect.objectContaining({ level: 'error', text: 'plain backend error: spawn failed' }),
  ])
})

test.each<[string, readonly FakeStep[], string]>([
  ['an exit code', [say('x'), { exit: 3 }], 'plain exited non-zero: code=3 signal=null'],
  ['no last word', [say('x')], 'plain backend error: ended without a result'],
  ['a last word that says so', [{ print: { done: false } }, done], 'plain failed'],
  ['what standard error says', [{ complain: 'no such session' }, { exit: 1 }], 'session not found'],
  ['its time', [{ hang: true }], 'plain backend error: timeout'],
])('a run that fails by %s tells it once and ends with it', async (_, steps, message) => {
  const run = await play(steps, message.endsWith('timeout') ? { timeoutMs: 700 } : {})
  await judgeRun(run)
  expect(noticesOf(run.events)).toEqual([message])
  expect(run.completion).toBeInstanceOf(SluiceError)
  expect(run.completion).toMatchObject({ code: 'run_failed', message })
})

test.each([
  [true, false, { finalText: 'done' }],
  [false, true, { message: 'plain failed' }],
])('of the words %s and %s the first is the last', async (first, second, completion) => {
  const { mapper } = plainAgent
  const step: typeof mapper.step = (state, line) => mapper.step({ ...state, isDone: false }, line)
  const run = await play([{ print: { done: first } }, { print: { done: second } }], {
    agent: { mapper: { ...mapper, step } },
  })
  expect(run.completion).toMatchObject(completion)
})

test('a time-out after the last word does not take it back', async () => {
  const clock = createDrivenClock()
  const { run, members } = begin([say('one'), done, { hang: true }], { timeoutMs: 5000 }, { clock })
  const reader = run.outputs[Symbol.asyncIterator]()
  expect(await reader.next()).toMatchObject({ value: { events: [{ kind: 'text-delta' }] } })
  expect(await reader.next()).toMatchObject({ value: { events: [{ kind: 'text-end' }] } })
  clock.advance(5000)
  const end = reader.next()
  await until(async () => {
    clock.advance(20)
    return (await members())?.length === 0
  })
  expect(await end).toEqual({ done: true, value: undefined })
  expect(await run.completion).toMatchObject({ finalText: 'done' })
  expect(clock.timers).toBe(0)
})

test('a program that closes its output and stays is ended soon', async () => {
  const run = await play([], {
    script: `require('node:fs').closeSync(1); setInterval(() => {}, 60000)`,
    timings: { lingerMs: 200 },
  })
  expect(run.completion).toMatchObject({
    message: 'plain backend error: closed its output and did not exit',
  })
  await judgeRun(run)
})

test('a program that closes its output and exits by itself ends the run with its own status', async () => {
  const run = await play([], {
    script: `require('node:fs').closeSync(1); setImmediate(() => process.exit(3))`,
  })
  expect(run.completion).toMatchObject({ message: 'plain exited non-zero: code=3 signal=null' })
})

test('while a person is asked, nothing needs to come', async () => {
  const clock = createDrivenClock()
  const steps: readonly FakeStep[] = [{ print: { ask: 'q1', about: 't1' } }, { awaitLine: 'refuse' }, done]
  const { run } = begin(steps, { permissions: 'ask', timings: { idleMs: 1000 } }, { clock })
  const reader = run.outputs[Symbol.asyncIterator]()
  await reader.next()
  // By then the run waits for the next line.
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(100_000)
  run.answer({ token: 'q1', how: 'answered', decision: 'reject' })
  expect(await reader.next()).toMatchObject({ value: { events: [{ kind: 'question-close' }] } })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(await run.completion).toMatchObject({ status: { code: 0 } })
  expect(clock.timers).toBe(0)
})

test('lines that cannot be read are told by their length, and reading goes on', async () => {
  const run = await play([
    { print: 'RAW SECRET {' },
    { bytes: '/w==', encoding: 'base64' },
    { print: '' },
    { bytes: ' \t \r\n' },
    { bytes: '{"say":"wind","id":"m1"}\r\n' },
    { bytes: '{"say":"ows","id":"m1"}\n{"do' },
    { bytes: 'ne":true}' },
  ])
  expect(noticesOf(run.events)).toEqual([
    'malformed output line (line_bytes=12)',
    'malformed output line (line_bytes=1)',
  ])
  expect(answerOf(await judgeRun(run))).toBe('windows')
  expect(run.completion).toMatchObject({ finalText: 'done' })
})

test('a line over 16 MiB is passed over, and one just below it is read', async () => {
  const bytes = 16 * 1024 * 1024
  const frame = '{"say":"","id":"m1"}'.length
  const run = await play([say('a'.repeat(bytes - frame)), say('b'.repeat(bytes - frame + 1)), say('c'), done])
  expect(noticesOf(run.events)).toEqual([`malformed output line (line_bytes=${bytes + 1})`])
  await judgeRun(run)
  const answer = answerIn(run.events)
  expect(answer.length).toBe(bytes - frame + 1)
  expect(answer.slice(-2)).toBe('ac')
})

test('a mapper that throws fails the run and nothing else', async () => {
  const step = (): never => {
    throw new Error('SECRET')
  }
  const run = await play([say('one'), { hang: true }], {
    agent: { mapper: { ...plainAgent.mapper, step } },
  })
  expect(run.completion).toMatchObject({ message: 'plain backend error: unreadable output' })
  await judgeRun(run)
})

test('a program that stays after its last word, or leaves something behind, is ended', async () => {
  const run = await play(
    [{ ignore: 'SIGTERM' }, { grandchild: 'holds-pipe' }, say('one'), done, { hang: true }],
    { timings: { lingerMs: 200 } },
  )
  expect(run.completion).toMatchObject({ status: { signal: 'SIGKILL' }, finalText: 'done' })
  await judgeRun(run)
})

test('a program that exits and leaves the pipe to another does not hold up the run', async () => {
  const run = await play([{ grandchild: 'holds-pipe' }, done])
  expect(run.completion).toMatchObject({ status: { code: 0 } })
  await judgeRun(run)
})

test('one that goes on printing after its program is gone does not hold up the run', async () => {
  const chatter = `const line = JSON.stringify({ say: 'x'.repeat(1000), id: 'm2' }) + '\\n';
    const print = () => process.stdout.write(line.repeat(50), () => setImmediate(print)); print()`
  const run = await play([], {
    script: `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(chatter)}],
      { stdio: 'inherit', detached: true }).unref(); console.log('{"done":true}')`,
  })
  expect(run.completion).toMatchObject({ status: { code: 0 }, finalText: 'done' })
  expect(await markedProcesses(run.process?.marker ?? '')).toEqual([])
})

test('one that prints now and then after its program is gone does not hold up the run', async () => {
  const clock = createDrivenClock()
  const chatter = `setInterval(() => console.log(JSON.stringify({ say: 'x', id: 'm2' })), 20)`
  const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(chatter)}],
      { stdio: 'inherit' }).unref(); console.log('{"done":true}'); process.exit(0)`
  const { run } = begin([], { script }, { clock })
  let isOver = false
  const completion = run.completion.finally(() => {
    isOver = true
  })
  void readEvents(run)
  await until(() => {
    clock.advance(20)
    return isOver
  })
  expect(await completion).toMatchObject({ status: { code: 0 }, finalText: 'done' })
})

test('a process that has escaped with the pipes of a run does not keep its host alive', async () => {
  const openPipes = (): number =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'PipeWrap').length
  const before = openPipes()
  // Neither in the group of the run, nor with its mark.
  const script = `const escaped = require('node:child_process').spawn(process.execPath,
      ['-e', 'setInterval(() => {}, 60000)'], { stdio: 'inherit', detached: true, env: {} });
    escaped.unref(); console.log(JSON.stringify({ say: String(escaped.pid), id: 'm1' }));
    console.log('{"done":true}'); process.exit(0)`
  const run = await play([], { script })
  const escaped = Number(answerIn(run.events))
  expect(run.completion).toMatchObject({ status: { code: 0 }, finalText: 'done' })
  await until(() => openPipes() <= before)
  expect(process.kill(escaped, 0)).toBe(true)
  process.kill(escaped, 'SIGKILL')
})
