import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LagSample } from '../outline/outline-columns.ts'
import { bucketLag } from './bucket-lag.ts'
import { manyColumns, sampleColumns } from './testing/sample-columns.ts'
import { maxBuckets } from './time-axis.ts'

const empty = sampleColumns([])
const samplesOf = (...lags: readonly number[]): readonly LagSample[] =>
  lags.map((lagMs, seq) => ({ seq, at: seq, lagMs }))
const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)

describe('bucketLag()', () => {
  test.each([
    [[], { count: 0, p50Ms: 0, p95Ms: 0, maxMs: 0, earlyCount: 0 }],
    [[5], { count: 1, p50Ms: 5, p95Ms: 5, maxMs: 5, earlyCount: 0 }],
    [[9, 1, 5], { count: 3, p50Ms: 5, p95Ms: 9, maxMs: 9, minMs: 1, earlyCount: 0 }],
    [[4, -3, -7, 0], { count: 4, p50Ms: -3, p95Ms: 4, maxMs: 4, minMs: -7, earlyCount: 2 }],
    [[-3, -7], { count: 2, maxMs: -3, minMs: -7, earlyCount: 2 }],
    [[Number.NaN, 5, Number.POSITIVE_INFINITY], { count: 1, p50Ms: 5 }],
    [Array.from({ length: 100 }, (_, n) => 99 - n), { count: 100, p50Ms: 49, p95Ms: 94, maxMs: 99 }],
  ])('sums up %j', (lags, expected) => {
    expect(bucketLag(samplesOf(...lags), empty).toPage).toMatchObject(expected)
  })

  test('counts every known lag once, and no bucket exceeds the largest', () => {
    const anySamples = fc.array(
      fc.record({
        seq: fc.nat(),
        at: fc.oneof(fc.nat(), fc.double()),
        lagMs: fc.oneof(fc.integer(), fc.double()),
      }),
    )
    fc.assert(
      fc.property(anySamples, (samples) => {
        const { axis, toPage: page } = bucketLag(samples, empty)
        const known = samples.filter(({ at, lagMs }) => Number.isFinite(at) && Number.isFinite(lagMs))
        expect(axis.buckets).toBeLessThanOrEqual(maxBuckets)
        expect(page.count).toBe(known.length)
        expect(sum(page.counts)).toBe(known.length)
        if (known.length > 0) expect(page.maxMs).toBe(Math.max(...known.map(({ lagMs }) => lagMs)))
        for (const [bucket, count] of page.counts.entries()) {
          if (count === 0) continue
          expect(page.medianMs[bucket]).toBeLessThanOrEqual(page.largestMs[bucket] ?? Number.NaN)
          expect(page.largestMs[bucket]).toBeLessThanOrEqual(page.maxMs)
        }
      }),
    )
  })

  test('puts both ways on one axis, without the entries whose delay is unknown', () => {
    const columns = sampleColumns([{ at: 0 }, { at: 40, delayMs: 8 }, { at: 50, delayMs: 2 }])
    const { axis, toPage: page, toLog: log } = bucketLag([{ seq: 2, at: 60, lagMs: 3 }], columns)
    expect(axis).toEqual({ startAt: 40, spanMs: 1, buckets: 21 })
    expect([...log.largestMs].filter((ms) => ms > 0)).toEqual([8, 2])
    expect([log.count, page.count, page.largestMs[20]]).toEqual([2, 1, 3])
  })

  test('takes 100 000 entries', () => {
    const { axis, toLog: log } = bucketLag([], manyColumns(100_000))
    expect(axis.buckets).toBe(100)
    expect([log.count, log.p50Ms, log.p95Ms, log.maxMs]).toEqual([100_000, 499, 949, 999])
    expect([log.counts[0], log.medianMs[0], log.largestMs[0]]).toEqual([1000, 499, 999])
  })
})
