import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bucketOf, createTimeAxis, maxBuckets } from './time-axis.ts'

describe('createTimeAxis()', () => {
  test.each([
    [0, { spanMs: 1, buckets: 1 }],
    [119, { spanMs: 1, buckets: 120 }],
    [120, { spanMs: 2, buckets: 61 }],
    [42_000, { spanMs: 500, buckets: 85 }],
    [60_000, { spanMs: 1000, buckets: 61 }],
    [600_000, { spanMs: 10_000, buckets: 61 }],
    [86_400_000, { spanMs: 900_000, buckets: 97 }],
    [3e13, { spanMs: 309_657_600_000, buckets: 97 }],
  ])('cuts %d ms into nice spans', (lengthMs, expected) => {
    expect(createTimeAxis(5000, 5000 + lengthMs)).toEqual({ startAt: 5000, ...expected })
  })

  test.each([
    [10, 5],
    [Number.NaN, 5],
    [0, Number.NaN],
    [0, Number.POSITIVE_INFINITY],
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('has one bucket from %d to %d', (startAt, endAt) => {
    expect(createTimeAxis(startAt, endAt)).toMatchObject({ spanMs: 1, buckets: 1 })
  })

  test('holds both ends within its bounds, whatever they are', () => {
    const moments = fc.double({ noNaN: true, min: -1e300, max: 1e300 })
    fc.assert(
      fc.property(moments, moments, (a, b) => {
        const axis = createTimeAxis(Math.min(a, b), Math.max(a, b))
        expect(axis.buckets).toBeGreaterThanOrEqual(1)
        expect(axis.buckets).toBeLessThanOrEqual(maxBuckets)
        expect(bucketOf(axis, Math.min(a, b))).toBe(0)
        expect(bucketOf(axis, Math.max(a, b))).toBe(axis.buckets - 1)
      }),
    )
  })
})

describe('bucketOf()', () => {
  const axis = { startAt: 100, spanMs: 10, buckets: 3 }

  test.each([
    [100, 0],
    [109.9, 0],
    [110, 1],
    [129, 2],
    [5000, 2],
    [-5000, 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 2],
  ])('puts %d into bucket %d', (at, bucket) => {
    expect(bucketOf(axis, at)).toBe(bucket)
  })
})
