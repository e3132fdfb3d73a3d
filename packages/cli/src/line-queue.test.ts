import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Line } from './ingest-lines.ts'
import { createLineQueue } from './line-queue.ts'

const patiently = { timeout: 60_000 }

const toLines = (count: number, bytes = 1): Line[] =>
  Array.from({ length: count }, (_, index) => ({ text: 'x'.repeat(bytes), line: index + 1 }))

describe('a line queue', () => {
  test('sends any lines once, in order and in batches within the bounds', async () => {
    const sizes = fc.array(fc.array(fc.nat({ max: 400_000 }), { maxLength: 150 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(sizes, async (pushes) => {
        const batches: (readonly Line[])[] = []
        const queue = createLineQueue(async (lines) => {
          await null
          batches.push(lines)
        })
        const all: Line[] = []
        for (const push of pushes) {
          const lines = push.map((bytes, index) => ({ text: 'x'.repeat(bytes), line: all.length + index }))
          all.push(...lines)
          await queue.push(lines)
        }
        await queue.end()
        expect(batches.flat()).toEqual(all)
        for (const batch of batches) {
          const bytes = batch.reduce((sum, { text }) => sum + text.length, 0)
          expect(batch.length <= 100 && (batch.length === 1 || bytes <= 2 ** 20)).toBe(true)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('sends the first line at once, and what gathers meanwhile together', async () => {
    const batches: number[] = []
    const releases: (() => void)[] = []
    const queue = createLineQueue((lines) => {
      batches.push(lines.length)
      return new Promise((resolve) => releases.push(resolve))
    })
    await queue.push(toLines(1))
    expect(batches).toEqual([1])
    await queue.push(toLines(2))
    await queue.push(toLines(3))
    const end = queue.end()
    releases[0]?.()
    await expect.poll(() => batches, patiently).toEqual([1, 5])
    releases[1]?.()
    await end
  })

  test('takes no more while too much waits', async () => {
    let release = (): void => {}
    const queue = createLineQueue(
      () =>
        new Promise((resolve) => {
          release = resolve
        }),
    )
    let isTaken = false
    const pushed = queue.push(toLines(7, 1_000_000)).then(() => {
      isTaken = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isTaken).toBe(false)
    const releasing = setInterval(() => release())
    await pushed
    clearInterval(releasing)
    expect(isTaken).toBe(true)
  })

  test('tells a failure to who pushes, waits for room, or ends', async () => {
    const failure = new Error('no')
    const queue = createLineQueue(() => Promise.reject(failure))
    await expect(queue.push(toLines(9, 1_000_000))).rejects.toBe(failure)
    await expect(queue.push(toLines(1))).rejects.toBe(failure)
    await expect(queue.end()).rejects.toBe(failure)
  })
})
