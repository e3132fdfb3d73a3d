import { type RunCompletion, type RunOutput, SluiceError } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { createRun, type Driven, type RunSink, runFailed } from './create-run.ts'

const output = (n: number): RunOutput => ({ type: 'frame', dialect: 'test', text: String(n) })
const done: RunCompletion = { status: { code: 0, signal: null } }

/** A driver whose agent does what the test says. */
function createStage(parts: Partial<Driven> = {}) {
  const calls = { ended: 0 }
  let sink: RunSink = { emit: async () => {} }
  let finish = (_: RunCompletion): void => {}
  let fail = (_: unknown): void => {}
  const finished = new Promise<RunCompletion>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  const run = createRun((given) => {
    sink = given
    return {
      finished,
      end() {
        calls.ended += 1
      },
      ...parts,
    }
  })
  return { run, emit: (n: number) => sink.emit(output(n)), finish, fail, calls }
}

/** The state of a promise after everything that is ready has run. */
async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'resolved' | 'rejected'> {
  let state: 'pending' | 'resolved' | 'rejected' = 'pending'
  promise.then(
    () => {
      state = 'resolved'
    },
    () => {
      state = 'rejected'
    },
  )
  await new Promise((resolve) => setImmediate(resolve))
  return state
}

async function readAll(outputs: AsyncIterable<RunOutput>): Promise<readonly RunOutput[]> {
  const read: RunOutput[] = []
  for await (const each of outputs) read.push(each)
  return read
}

test('the completion waits for the agent, also when all its outputs are read', async () => {
  const { run, emit, finish } = createStage()
  const read = readAll(run.outputs)
  await emit(1)
  expect(await stateOf(run.completion)).toBe('pending')
  finish(done)
  expect(await read).toEqual([output(1)])
  expect(await run.completion).toEqual(done)
})

test('the completion waits for the reader, also when the agent is gone', async () => {
  const { run, emit, finish } = createStage()
  await emit(1)
  finish(done)
  expect(await stateOf(run.completion)).toBe('pending')
  const reader = run.outputs[Symbol.asyncIterator]()
  await reader.next()
  expect(await stateOf(run.completion)).toBe('pending')
  await reader.next()
  expect(await stateOf(run.completion)).toBe('resolved')
})

test('a reader that leaves frees the completion, and does not end the agent', async () => {
  const { run, emit, finish, calls } = createStage()
  for (let n = 0; n < 3; n++) await emit(n)
  for await (const _ of run.outputs) break
  expect(await stateOf(run.completion)).toBe('pending')
  for (let n = 0; n < 100; n++) expect(await stateOf(emit(n))).toBe('resolved')
  finish(done)
  expect(await run.completion).toEqual(done)
  expect(calls.ended).toBe(0)
})

test('32 outputs may wait; then the agent does', async () => {
  const { run, emit, finish } = createStage()
  for (let n = 1; n < 32; n++) expect(await stateOf(emit(n))).toBe('resolved')
  const last = emit(32)
  expect(await stateOf(last)).toBe('pending')
  const reader = run.outputs[Symbol.asyncIterator]()
  await reader.next()
  expect(await stateOf(last)).toBe('resolved')
  finish(done)
  for (let n = 2; n <= 32; n++) expect(await reader.next()).toEqual({ done: false, value: output(n) })
  expect(await reader.next()).toEqual({ done: true, value: undefined })
})

test('a failure is told once, last, with the message of the completion', async () => {
  const { run, emit, fail } = createStage()
  await emit(1)
  fail(runFailed('it broke'))
  const read = await readAll(run.outputs)
  const notice = { kind: 'notice', level: 'error', code: 'run_failed', text: 'it broke' }
  expect(read).toEqual([output(1), { type: 'events', events: [expect.objectContaining(notice)] }])
  await expect(run.completion).rejects.toMatchObject({ code: 'run_failed', message: 'it broke' })
})

test('a failure of another sort is told without its words', async () => {
  const { run, fail } = createStage()
  fail(new Error('SECRET'))
  expect(JSON.stringify(await readAll(run.outputs))).not.toContain('SECRET')
  await expect(run.completion).rejects.toMatchObject({
    code: 'run_failed',
    message: 'the agent could not be run',
  })
})

test('a cancel ends the outputs at once, and the completion when the agent is gone', async () => {
  const { run, emit, finish, calls } = createStage()
  await emit(1)
  await emit(2)
  run.cancel()
  run.cancel()
  expect(calls.ended).toBe(1)
  await emit(3)
  expect(await readAll(run.outputs)).toEqual([])
  expect(await stateOf(run.completion)).toBe('pending')
  finish(done)
  await expect(run.completion).rejects.toMatchObject({
    code: 'run_cancelled',
    message: 'backend error: cancelled',
  })
})

test('a cancel frees an agent that waits for room', async () => {
  const { run, emit } = createStage()
  for (let n = 1; n < 32; n++) await emit(n)
  const waiting = emit(32)
  expect(await stateOf(waiting)).toBe('pending')
  run.cancel()
  expect(await stateOf(waiting)).toBe('resolved')
})

test('a cancel goes before a failure of the same moment, and before one that waits for its reader', async () => {
  const same = createStage()
  same.fail(runFailed('it broke'))
  same.run.cancel()
  expect(await readAll(same.run.outputs)).toEqual([])
  await expect(same.run.completion).rejects.toMatchObject({ code: 'run_cancelled' })

  const late = createStage()
  for (let n = 1; n <= 32; n++) void late.emit(n)
  late.fail(runFailed('it broke'))
  expect(await stateOf(late.run.completion)).toBe('pending')
  late.run.cancel()
  expect(await readAll(late.run.outputs)).toEqual([])
  await expect(late.run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
})

test('a cancel goes before a completion of the same moment, and is nothing after it', async () => {
  const same = createStage()
  same.finish(done)
  same.run.cancel()
  expect(await readAll(same.run.outputs)).toEqual([])
  await expect(same.run.completion).rejects.toMatchObject({ code: 'run_cancelled' })

  const late = createStage()
  await late.emit(1)
  late.finish(done)
  expect(await stateOf(late.run.completion)).toBe('pending')
  late.run.cancel()
  expect(await readAll(late.run.outputs)).toEqual([output(1)])
  expect(await late.run.completion).toEqual(done)
  late.run.cancel()
  expect(late.calls.ended).toBe(0)
})

test('a cancel works after the reader has left', async () => {
  const { run, emit, finish, calls } = createStage()
  await emit(1)
  for await (const _ of run.outputs) break
  run.cancel()
  expect(calls.ended).toBe(1)
  finish(done)
  await expect(run.completion).rejects.toBeInstanceOf(SluiceError)
})

test('answers and messages reach an agent that takes them, while it runs', async () => {
  const heard: unknown[] = []
  const { run, finish } = createStage({
    answer: (answer) => void heard.push(answer),
    message: (text) => heard.push(text) > 0,
  })
  const answer = { token: 'q', how: 'answered', decision: 'accept' } as const
  run.answer(answer)
  expect(run.message('hello')).toBe(true)
  finish(done)
  await readAll(run.outputs)
  run.answer(answer)
  expect(run.message('late')).toBe(false)
  expect(heard).toEqual([answer, 'hello'])
})

test('an agent that takes no messages says so', () => {
  const { run } = createStage()
  expect(run.message('hello')).toBe(false)
  expect(() => run.answer({ token: 'q', how: 'timeout' })).not.toThrow()
  run.cancel()
  expect(run.message('hello')).toBe(false)
})
