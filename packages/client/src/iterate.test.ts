import { describe, expect, test } from 'vitest'
import { iterate } from './iterate.ts'

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

describe('iterate()', () => {
  test('hands out batches one by one and asks for the next one only then', async () => {
    const asked: number[] = []
    const items = iterate(async function* () {
      for (const batch of [[1, 2], [], [3]]) {
        asked.push(batch.length)
        yield batch
      }
    }, undefined)
    expect((await items.next()).value).toBe(1)
    expect(asked).toEqual([2])
    expect((await items.next()).value).toBe(2)
    expect(asked).toEqual([2])
    expect((await items.next()).value).toBe(3)
    expect(await items.next()).toEqual({ done: true, value: undefined })
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  test('answers calls of next() in their order', async () => {
    const items = iterate(async function* () {
      yield [1]
      yield [2, 3]
    }, undefined)
    const results = await Promise.all([items.next(), items.next(), items.next(), items.next()])
    expect(results.map(({ value }) => value)).toEqual([1, 2, 3, undefined])
  })

  test('return() ends a next() that waits, and what stands behind it', async () => {
    let isDone = false
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const items = iterate(async function* (signal) {
      begin()
      try {
        await untilAborted(signal)
        yield [1]
      } finally {
        isDone = true
      }
    }, undefined)
    const waiting = items.next()
    await begun
    await items.return()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(isDone).toBe(true)
  })

  test('leaving the loop ends what stands behind it', async () => {
    let inner: AbortSignal | undefined
    const items = iterate(async function* (signal) {
      inner = signal
      yield [1, 2, 3]
    }, undefined)
    for await (const item of items) {
      expect(item).toBe(1)
      break
    }
    expect(inner?.aborted).toBe(true)
    expect((await items.next()).done).toBe(true)
  })

  test('throws the reason of the signal, also with items at hand', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const items = iterate(async function* () {
      yield [1, 2]
    }, controller.signal)
    await items.next()
    controller.abort(reason)
    await expect(items.next()).rejects.toBe(reason)
    expect((await items.next()).done).toBe(true)
  })

  test('throws the reason of a signal that was aborted before', async () => {
    const items = iterate(
      async function* (signal) {
        await untilAborted(signal)
        yield [1]
      },
      AbortSignal.abort(new Error('before')),
    )
    await expect(items.next()).rejects.toThrow('before')
  })

  test('throws a failure once', async () => {
    const items = iterate<number>(async function* () {
      yield [1]
      throw new Error('broken')
    }, undefined)
    await items.next()
    await expect(items.next()).rejects.toThrow('broken')
    expect((await items.next()).done).toBe(true)
  })
})
