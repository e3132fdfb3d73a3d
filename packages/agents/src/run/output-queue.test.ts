import type { RunOutput } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { createOutputQueue } from './output-queue.ts'

const output = (text: string): RunOutput => ({ type: 'frame', dialect: 'test', text })
const textOf = (value: RunOutput): string => (value.type === 'frame' ? value.text : '')

/** Whether a promise is settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => {
      settled = true
    },
    () => {},
  )
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

test('outputs arrive in order, and the end behind them', async () => {
  const queue = createOutputQueue(4)
  for (const text of ['1', '2', '3']) await queue.push(output(text))
  queue.close()
  const read: string[] = []
  for await (const each of queue.outputs) read.push(textOf(each))
  expect(read).toEqual(['1', '2', '3'])
  expect(await isSettled(queue.drained)).toBe(true)
})

test('a sender waits while as many as may wait do', async () => {
  const queue = createOutputQueue(2)
  expect(await isSettled(queue.push(output('1')))).toBe(true)
  const second = queue.push(output('2'))
  expect(await isSettled(second)).toBe(false)
  const reader = queue.outputs[Symbol.asyncIterator]()
  expect(await reader.next()).toMatchObject({ value: output('1') })
  expect(await isSettled(second)).toBe(true)
})

test('a reader that waits gets an output as it comes', async () => {
  const queue = createOutputQueue(2)
  const reader = queue.outputs[Symbol.asyncIterator]()
  const first = reader.next()
  expect(await isSettled(first)).toBe(false)
  await queue.push(output('1'))
  expect(await first).toMatchObject({ value: output('1') })
})

test('nothing is drained before the reader has seen the end', async () => {
  const queue = createOutputQueue(4)
  await queue.push(output('1'))
  queue.close()
  const reader = queue.outputs[Symbol.asyncIterator]()
  expect(await isSettled(queue.drained)).toBe(false)
  await reader.next()
  expect(await isSettled(queue.drained)).toBe(false)
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(await isSettled(queue.drained)).toBe(true)
})

test.each(['before the first', 'behind the first', 'while one is waited for'])(
  'a reader that leaves %s output frees those who wait',
  async (when) => {
    const queue = createOutputQueue(1)
    const reader = queue.outputs[Symbol.asyncIterator]()
    const pending = when === 'while one is waited for' ? reader.next() : undefined
    const sent = pending === undefined ? queue.push(output('1')) : undefined
    if (when === 'behind the first') await reader.next()
    await reader.return?.()
    expect(await isSettled(queue.drained)).toBe(true)
    if (sent !== undefined) expect(await isSettled(sent)).toBe(true)
    if (pending !== undefined) expect(await pending).toEqual({ done: true, value: undefined })
    expect(await isSettled(queue.push(output('late')))).toBe(true)
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  },
)

test('what waits is dropped at once, and its senders go on', async () => {
  const queue = createOutputQueue(1)
  const sent = queue.push(output('1'))
  queue.discard()
  expect(await isSettled(sent)).toBe(true)
  await queue.push(output('late'))
  for await (const each of queue.outputs) expect.unreachable(textOf(each))
  expect(await isSettled(queue.drained)).toBe(true)
})

test('outputs are read once', () => {
  const { outputs } = createOutputQueue(1)
  outputs[Symbol.asyncIterator]()
  expect(() => outputs[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'usage' }))
})

test('whatever reader and sender do in turn, nothing is lost, doubled or hoarded', async () => {
  const turns = fc.array(fc.constantFrom('push', 'read'), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(turns, fc.integer({ min: 1, max: 4 }), async (steps, room) => {
      const queue = createOutputQueue(room)
      const reader = queue.outputs[Symbol.asyncIterator]()
      const reads: Promise<IteratorResult<RunOutput, unknown>>[] = []
      let sent = 0
      let accepted = 0
      let isFree = true
      const send = async (): Promise<void> => {
        isFree = false
        await queue.push(output(String(sent++)))
        isFree = true
        accepted += 1
      }
      for (const step of steps) {
        if (step === 'read') reads.push(reader.next())
        else if (isFree) void send()
        await new Promise((resolve) => setImmediate(resolve))
        expect(sent - Math.min(reads.length, sent)).toBeLessThanOrEqual(room)
      }
      queue.close()
      while (reads.length <= sent) reads.push(reader.next())
      const read = (await Promise.all(reads)).flatMap(({ done, value }) => (done === true ? [] : [value]))
      expect(read.map((each) => textOf(each as RunOutput))).toEqual(
        Array.from({ length: sent }, (_, n) => String(n)),
      ) // not done: an output
      expect(accepted).toBe(sent)
    }),
    { numRuns: runs(100) },
  )
})
