import type { RunHost } from '@sluice/protocol'
import { afterEach, expect, test } from 'vitest'
import type { FakeStep } from '../testing/fake-program.ts'
import { createPlainStage, readEvents } from '../testing/plain-stage.ts'
import { until } from '../testing/until.ts'

const { begin, clear } = createPlainStage()
afterEach(clear)

const notice = (n: number): FakeStep => ({ print: { session: String(n), padding: 'x'.repeat(300) } })
const say: FakeStep = { print: { say: 'one', id: 'm1' } }
const done: FakeStep = { print: { done: true } }
/** More than the queue and a pipe hold. */
const many: readonly FakeStep[] = Array.from({ length: 2000 }, (_, n) => notice(n))

test('a reader that is slow to come loses nothing', async () => {
  const { run, members } = begin([...many, done])
  const reader = run.outputs[Symbol.asyncIterator]()
  const handles: unknown[] = []
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    if (next.value.type === 'events')
      handles.push(...next.value.events.map(({ meta }) => Number(meta?.agent?.session)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(handles).toEqual(many.map((_, n) => n))
  expect(await run.completion).toMatchObject({ handle: '1999' })
  expect(await members()).toEqual([])
})

test('a reader that stands still does not hold up the time of a run', async () => {
  const { run, members } = begin([{ ignore: 'SIGTERM' }, ...many, { hang: true }], { timeoutMs: 2000 })
  const reader = run.outputs[Symbol.asyncIterator]()
  let last: unknown = (await reader.next()).value
  await until(async () => (await members())?.length === 0)
  for (let next = await reader.next(); !next.done; next = await reader.next()) last = next.value
  expect(last).toMatchObject({ events: [{ code: 'run_failed', text: 'plain backend error: timeout' }] })
  await expect(run.completion).rejects.toMatchObject({ code: 'run_failed' })
})

test('a reader that stands still does not hold up a cancel', async () => {
  const { run, members } = begin([{ ignore: 'SIGTERM' }, ...many, { hang: true }])
  const reader = run.outputs[Symbol.asyncIterator]()
  await reader.next()
  run.cancel()
  await until(async () => (await members())?.length === 0)
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  await expect(run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
})

test('a program is not ended when its reader leaves, and its last word is heard', async () => {
  const { run, program, members } = begin([say, { awaitFile: 'go' }, ...many, done])
  for await (const _ of run.outputs) break
  expect(await members()).toHaveLength(1)
  program.release('go')
  expect(await run.completion).toMatchObject({ status: { code: 0 }, finalText: 'done', handle: '1999' })
  expect(await members()).toEqual([])
})

test('a run can be cancelled after its reader has left', async () => {
  const { run, members } = begin([{ ignore: 'SIGTERM' }, say, { hang: true }])
  for await (const _ of run.outputs) break
  run.cancel()
  run.cancel()
  await expect(run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
  expect(await members()).toEqual([])
})

test('a run is there before its program is, and can be cancelled by then', async () => {
  const { run, members, program } = begin([{ ignore: 'SIGTERM' }, { awaitEnd: true }, say, { hang: true }])
  expect(program.call()).toBeUndefined()
  run.cancel()
  expect(await readEvents(run)).toEqual([])
  await expect(run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
  expect(await members()).toEqual([])
  expect(program.call()?.stdin ?? '').toBe('')
})

test('a run that is cancelled while its process is told of gets no prompt', async () => {
  let goOn = (): void => {}
  const onProcess: RunHost['onProcess'] = () =>
    new Promise((resolve) => {
      goOn = resolve
    })
  const steps: readonly FakeStep[] = [{ ignore: 'SIGTERM' }, say, { awaitEnd: true }, { hang: true }]
  const { run, members, program } = begin(steps, {}, { onProcess })
  const reader = run.outputs[Symbol.asyncIterator]()
  await reader.next()
  run.cancel()
  goOn()
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  await expect(run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
  expect(await members()).toEqual([])
  expect(program.call()?.stdin).toBe('')
})

test('a run that could not begin is cancelled all the same if that comes first', async () => {
  const { run } = begin([], { workingDir: '/nowhere' })
  run.cancel()
  expect(await readEvents(run)).toEqual([])
  await expect(run.completion).rejects.toMatchObject({ code: 'run_cancelled' })
})

test('a cancel after the end is nothing', async () => {
  const { run } = begin([done])
  await readEvents(run)
  const completion = await run.completion
  run.cancel()
  expect(await run.completion).toBe(completion)
  expect(completion).toMatchObject({ status: { code: 0 } })
})
