import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../testing/runs.ts'
import { createBucket, readyAt, take, withRate } from './bucket.ts'

test('a bucket without a rate is always ready', () => {
  const bucket = take(take(createBucket(undefined, 0), 0), 0)
  expect(readyAt(bucket, 0)).toBe(0)
})

test('a rate below two has a burst of one', () => {
  const bucket = take(createBucket(1, 0), 0)
  expect(readyAt(bucket, 0)).toBe(1000)
  expect(readyAt(bucket, 1000)).toBe(1000)
})

test('what was taken stays taken when the rate changes', () => {
  const empty = take(createBucket(1, 0), 0)
  expect(readyAt(withRate(empty, 10, 0), 0)).toBe(100)
  expect(readyAt(withRate(createBucket(1000, 0), 2, 0), 0)).toBe(0)
})

test('whoever takes when it is ready never exceeds the rate, and never waits in vain', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.array(fc.nat({ max: 700 }), { minLength: 1, maxLength: 50 }),
      (rate, gaps) => {
        let now = 0
        let bucket = createBucket(rate, now)
        const times: number[] = []
        for (const gap of gaps) {
          now = Math.max(now + gap, readyAt(bucket, now + gap))
          expect(readyAt(bucket, now)).toBeLessThanOrEqual(now + 1)
          if (readyAt(bucket, now) > now) continue
          bucket = take(bucket, now)
          times.push(now)
        }
        for (const [first, start] of times.entries())
          for (const [index, end] of times.slice(first).entries())
            expect(index + 1).toBeLessThanOrEqual(
              Math.max(1, rate / 2) + ((end - start) / 1000) * rate + 1e-6,
            )
      },
    ),
    { numRuns: runs(200) },
  )
})
