import { isJsonObject, type RunOutput, SluiceError, systemClock } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, expect, test } from 'vitest'
import { groupMembers } from '../process/group-members.ts'
import { createFakeProgram, type FakeProgram, type FakeStep } from '../testing/fake-program.ts'
import { playRun } from '../testing/play-run.ts'
import { type CommandAgentConfig, createCommandAgent } from './create-command-agent.ts'

const programs: FakeProgram[] = []
afterEach(() => {
  for (const program of programs.splice(0)) program.remove()
})

function prepare(steps: readonly FakeStep[], config: Partial<CommandAgentConfig> = {}) {
  const program = createFakeProgram('mine', steps)
  programs.push(program)
  const agent = createCommandAgent({
    kind: 'mine',
    command: [program.path, '--stream'],
    dialect: dialectById('stream-event'),
    defaults: { cwd: program.folder, env: { PATH: process.env['PATH'] ?? '' } },
    timings: { idleMs: 30_000, lingerMs: 200, drainMs: 200 },
    escalation: [{ signal: 'SIGTERM', graceMs: 200 }],
    ...config,
  })
  return { program, agent }
}

const chunk = (text: string) => ({ type: 'answer_chunk', data: { text } })
const framesOf = (outputs: readonly RunOutput[]): readonly unknown[] =>
  outputs.flatMap((output) => (output.type === 'frame' ? [JSON.parse(output.text)] : []))
const noticesOf = (outputs: readonly RunOutput[]): readonly string[] =>
  outputs.flatMap((output) =>
    output.type === 'events' ? output.events.flatMap((e) => (e.kind === 'notice' ? [e.text] : [])) : [],
  )

test('hands on the frames as they were printed, and completes with the exit', async () => {
  const { program, agent } = prepare([{ awaitEnd: true }, { bytes: '{"type": "log",  "data":{}}\r\n' }])
  const { outputs, completion } = await playRun(agent, { prompt: 'hello' })
  expect(outputs).toEqual([{ type: 'frame', dialect: 'stream-event', text: '{"type": "log",  "data":{}}' }])
  expect(completion).toEqual({ status: { code: 0, signal: null } })
  expect(program.call()).toMatchObject({ args: ['--stream'], stdin: 'hello', isStdinClosed: true })
})

test.each([
  ['argument', ['--stream', '$(rm) "x"\n']],
  ['none', ['--stream']],
] as const)('gives the prompt as %s where that is wanted', async (prompt, args) => {
  const { program, agent } = prepare([{ awaitEnd: true }, { print: chunk('a') }], { prompt })
  await playRun(agent, { prompt: '$(rm) "x"\n' })
  expect(program.call()).toMatchObject({ args, stdin: '', isStdinClosed: true })
})

test.each(['-x', '--help', '-', '--\nrm', 'a\0b'])(
  'refuses the prompt %j where it would not be a plain argument, and begins nothing',
  (prompt) => {
    const { program, agent } = prepare([], { prompt: 'argument' })
    const refusal = expect.objectContaining({
      code: 'invalid_run',
      message: expect.stringContaining('this agent takes it as an argument'),
      details: { path: '/prompt' },
    })
    expect(() => agent.check({ prompt })).toThrow(refusal)
    expect(() => agent.run({ prompt }, { clock: systemClock })).toThrow(refusal)
    expect(program.call()).toBeUndefined()
    for (const way of ['stdin', 'none'] as const)
      expect(() => prepare([], { prompt: way }).agent.check({ prompt })).not.toThrow()
  },
)

test('takes any prompt behind the divider that its command ends with', async () => {
  const program = createFakeProgram('mine', [{ awaitEnd: true }])
  programs.push(program)
  const { agent } = prepare([], { command: [program.path, '--'], prompt: 'argument' })
  await playRun(agent, { prompt: '--help' })
  expect(program.call()).toMatchObject({ args: ['--', '--help'] })
})

test.each<[string, readonly FakeStep[], string]>([
  ['an exit code', [{ complain: 'SECRET' }, { exit: 3 }], 'mine exited non-zero: code=3 (output redacted)'],
  ['a signal', [{ raise: 'SIGKILL' }], 'mine exited non-zero: code=null (output redacted)'],
  ['silence', [{ ignore: 'SIGTERM' }, { hang: true }], 'mine backend error: idle timeout'],
])('fails by %s', async (_, steps, message) => {
  const isSilent = message.endsWith('idle timeout')
  const { agent } = prepare(steps, isSilent ? { timings: { idleMs: 300, lingerMs: 200, drainMs: 200 } } : {})
  const { outputs, completion, process } = await playRun(agent, { prompt: 'x' })
  expect(noticesOf(outputs)).toEqual([message])
  expect(completion).toMatchObject({ code: 'run_failed', message })
  expect(await groupMembers(process?.pid ?? 0)).toEqual([])
})

test('fails when its time is over', async () => {
  const { agent } = prepare([{ print: chunk('a') }, { grandchild: 'holds-pipe' }, { hang: true }])
  const { completion, process } = await playRun(agent, { prompt: 'x', timeoutMs: 500 })
  expect(completion).toMatchObject({ message: 'mine backend error: timeout' })
  expect(await groupMembers(process?.pid ?? 0)).toEqual([])
})

test('fails through the run when the program is not there', async () => {
  const { agent } = prepare([], { command: ['/nowhere/mine'] })
  expect(await agent.look()).toMatchObject({ isInstalled: false })
  const { completion } = await playRun(agent, { prompt: 'x' })
  expect(completion).toMatchObject({ code: 'run_failed', message: 'mine backend error: binary not found' })
})

test('finds its program, and refuses what it does not take before anything is begun', async () => {
  const { program, agent } = prepare([])
  expect(await agent.look()).toEqual({ isInstalled: true, path: program.path })
  const extensions = { 'agent_api.config.model.v1': 'm' }
  expect(() => agent.run({ prompt: 'x', extensions }, { clock: systemClock })).toThrow(SluiceError)
  expect(program.call()).toBeUndefined()
})

test.each<[string, string | undefined]>([
  ['completed', undefined],
  ['failed', 'mine failed'],
  ['cancelled', 'mine cancelled its own run'],
  ['rejected', 'mine rejected the request'],
])('a session that its own frames end as %s stays so, whatever the exit code', async (outcome, message) => {
  const end = { events: [{ kind: 'session-end', outcome }] }
  const { agent } = prepare([{ print: end }, { print: { events: [] } }, { exit: 7 }], {
    dialect: dialectById('sluice'),
  })
  const { outputs, completion } = await playRun(agent, { prompt: 'x' })
  expect(framesOf(outputs)).toEqual([end])
  expect(completion).toMatchObject(
    message === undefined ? { status: { code: 7 } } : { code: 'run_failed', message },
  )
})

test('a program that stays after the end of its session is ended', async () => {
  const end = { events: [{ kind: 'session-end', outcome: 'completed' }] }
  const { agent } = prepare([{ ignore: 'SIGTERM' }, { print: end }, { hang: true }], {
    dialect: dialectById('sluice'),
  })
  const { completion, process } = await playRun(agent, { prompt: 'x' })
  expect(completion).toMatchObject({ status: { signal: 'SIGKILL' } })
  expect(await groupMembers(process?.pid ?? 0)).toEqual([])
})

test('lines that are no frame are told by their length, and reading goes on', async () => {
  const { agent } = prepare([
    { print: 'RAW SECRET {' },
    { bytes: '/w==', encoding: 'base64' },
    { print: '' },
    { print: chunk('after') },
  ])
  const { outputs } = await playRun(agent, { prompt: 'x' })
  expect(noticesOf(outputs)).toEqual([
    'malformed output line (line_bytes=12)',
    'malformed output line (line_bytes=1)',
  ])
  expect(framesOf(outputs)).toEqual([chunk('after')])
})

const question = {
  events: [{ kind: 'question-open', question: 'confirmation', token: 't', text: 'Go?', default: 'reject' }],
}

test('a program that reads its inputs gets the prompt, messages and answers as lines', async () => {
  const { program, agent } = prepare(
    [
      { awaitLine: '"message_0"' },
      { print: question },
      { awaitLine: '"answer"' },
      { printFrom: { events: [{ kind: 'notice', level: 'info', text: '$LINE.decision' }] } },
      { awaitLine: '"message_1"' },
    ],
    {
      dialect: dialectById('sluice'),
      inputs: true,
      timings: { idleMs: 20_000, lingerMs: 5000, drainMs: 200 },
    },
  )
  const { outputs, completion } = await playRun(agent, { prompt: 'hello' }, (output, run) => {
    const [first] = framesOf([output])
    if (!isJsonObject(first)) return
    if (JSON.stringify(first).includes('question-open')) {
      run.answer({ token: 'another', how: 'answered', decision: 'accept' })
      run.answer({ token: 't', how: 'answered', decision: 'accept' })
    } else expect(run.message('more')).toBe(true)
  })
  expect(framesOf(outputs)).toEqual([
    question,
    { events: [{ kind: 'notice', level: 'info', text: 'accept' }] },
  ])
  expect(completion).toEqual({ status: { code: 0, signal: null } })
  const lines = program.call()?.stdin.trim().split('\n')
  const at = expect.any(Number)
  expect(lines?.map((line) => JSON.parse(line))).toEqual([
    { type: 'message', at, id: 'message_0', parts: [{ type: 'text', text: 'hello' }] },
    { type: 'answer', at, token: 't', how: 'answered', decision: 'accept' },
    { type: 'message', at, id: 'message_1', parts: [{ type: 'text', text: 'more' }] },
  ])
})

test('one that reads no inputs takes no message', async () => {
  const { agent } = prepare([{ print: chunk('a') }, { awaitFile: 'go' }])
  let isTaken: boolean | undefined
  const { completion } = await playRun(agent, { prompt: 'x' }, (_, run) => {
    isTaken = run.message('more')
    for (const program of programs) program.release('go')
  })
  expect(isTaken).toBe(false)
  expect(completion).toEqual({ status: { code: 0, signal: null } })
})

test('while a question is open, silence is no failure', async () => {
  const clock = createDrivenClock()
  const { program, agent } = prepare([{ print: question }, { awaitFile: 'go' }], {
    dialect: dialectById('sluice'),
  })
  const run = agent.run({ prompt: 'x' }, { clock })
  for await (const _ of run.outputs) {
    // The driver waits for the next line from here on.
    await new Promise(setImmediate)
    clock.advance(300_000)
    program.release('go')
  }
  expect(await run.completion).toEqual({ status: { code: 0, signal: null } })
})

test('a question that was answered excuses no silence', async () => {
  const { agent } = prepare([{ print: question }, { hang: true }], {
    dialect: dialectById('sluice'),
    timings: { idleMs: 300, lingerMs: 200, drainMs: 200 },
  })
  const { completion } = await playRun(agent, { prompt: 'x' }, (_, run) =>
    run.answer({ token: 't', how: 'timeout', decision: 'reject' }),
  )
  expect(completion).toMatchObject({ message: 'mine backend error: idle timeout' })
})

test.each([
  ['is told so and goes by itself', [{ awaitLine: '"cancel"' }, { exit: 0 }], true],
  ['is killed where it does not', [{ ignore: 'SIGTERM' }, { print: chunk('b') }, { hang: true }], true],
  ['is killed where it reads nothing', [{ ignore: 'SIGTERM' }, { hang: true }], false],
] as const)('a program that is cancelled %s', async (_, rest, inputs) => {
  const { program, agent } = prepare([{ print: chunk('a') }, { grandchild: 'holds-pipe' }, ...rest], {
    inputs,
  })
  const { completion, process, outputs } = await playRun(agent, { prompt: 'x' }, (_output, run) => {
    run.cancel()
    run.cancel()
  })
  expect(completion).toMatchObject({ code: 'run_cancelled' })
  expect(outputs.length).toBe(1)
  expect(await groupMembers(process?.pid ?? 0)).toEqual([])
  expect(program.call()?.stdin.includes('"cancel"') ?? false).toBe(inputs)
})

test('hands on 5000 frames, all of them and in order', async () => {
  const { agent } = prepare(Array.from({ length: 5000 }, (_, index) => ({ print: chunk(String(index)) })))
  const { outputs } = await playRun(agent, { prompt: 'x' })
  expect(framesOf(outputs)).toEqual(Array.from({ length: 5000 }, (_, index) => chunk(String(index))))
})
