import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bucketActivity, filledBucket, peakOf } from './bucket-activity.ts'
import { manyColumns, sampleColumns } from './testing/sample-columns.ts'
import { bucketOf, maxBuckets } from './time-axis.ts'

const anyEntries = fc.array(fc.record({ at: fc.nat(2 ** 31 - 1), characters: fc.nat(5000) }))
const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)

describe('bucketActivity()', () => {
  test('counts every entry and every character once, in few buckets', () => {
    fc.assert(
      fc.property(anyEntries, fc.option(fc.nat(), { nil: undefined }), (entries, nowMs) => {
        const activity = bucketActivity(sampleColumns(entries), nowMs)
        expect(sum(activity.events)).toBe(entries.length)
        expect(sum(activity.characters)).toBe(sum(entries.map(({ characters }) => characters)))
        expect(activity.characterCount).toBe(sum(activity.characters))
        expect(activity.axis.buckets).toBeLessThanOrEqual(maxBuckets)
      }),
    )
  })

  test('names the first entry of each bucket, in order', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const columns = sampleColumns(entries)
        const { axis, events, firstSeq } = bucketActivity(columns)
        let next = 0
        for (let bucket = 0; bucket < axis.buckets; bucket++) {
          const count = events[bucket] ?? 0
          expect(firstSeq[bucket]).toBe(count === 0 ? -1 : next)
          if (count > 0) expect(bucketOf(axis, columns.at[next] ?? Number.NaN)).toBe(bucket)
          next += count
        }
      }),
    )
  })

  test.each([
    ['nothing', [], 1, 0],
    ['one entry', [{ at: 7 }], 1, 0],
    ['equal times', [{ at: 7 }, { at: 7 }], 1, 0],
    ['two ends', [{ at: 0 }, { at: 1000 }], 101, 1000],
  ])('takes %s', (_, entries, buckets, lengthMs) => {
    const activity = bucketActivity(sampleColumns(entries))
    expect(activity).toMatchObject({ axis: { buckets }, eventCount: entries.length, lengthMs })
  })

  test('reaches on to the present, and never back before the last entry', () => {
    const columns = sampleColumns([{ at: 0 }, { at: 100 }])
    expect(bucketActivity(columns, 60_000).axis).toEqual({ startAt: 0, spanMs: 1000, buckets: 61 })
    expect(bucketActivity(columns, 50).axis).toEqual(bucketActivity(columns).axis)
    expect(bucketActivity(columns, Number.NaN).axis).toEqual(bucketActivity(columns).axis)
  })

  test('counts entries whose columns hold no numbers', () => {
    const columns = { count: 3, at: [Number.NaN], characters: [Number.NaN], delayMs: [], calls: [] }
    expect(bucketActivity(columns)).toMatchObject({ eventCount: 3, characterCount: 0, lengthMs: 0 })
    expect(sum(bucketActivity(columns).events)).toBe(3)
  })

  test('takes 100 000 entries', () => {
    const { axis, events, eventCount } = bucketActivity(manyColumns(100_000))
    expect(axis).toMatchObject({ spanMs: 1000, buckets: 100 })
    expect([eventCount, events[0], events[99]]).toEqual([100_000, 1000, 1000])
  })
})

describe('filledBucket()', () => {
  const activity = bucketActivity(sampleColumns([{ at: 0 }, { at: 3 }, { at: 10 }]))

  test.each([
    [0, 0, 0],
    [1, 0, 0],
    [2, 0, 3],
    [1, 1, 3],
    [4, 1, 10],
    [9, -1, 3],
    [2, -1, 0],
    [10, -1, 10],
  ])('from bucket %d in direction %d finds bucket %d', (wanted, direction, expected) => {
    expect(filledBucket(activity, wanted, direction)).toBe(expected)
  })

  test('turns round where there is nothing ahead', () => {
    const live = bucketActivity(sampleColumns([{ at: 0 }, { at: 3 }]), 10)
    expect(filledBucket(live, 7, 1)).toBe(3)
  })

  test('finds none among no entries', () => {
    expect(filledBucket(bucketActivity(sampleColumns([])), 0, 0)).toBe(-1)
  })
})

test.each([
  [[], 0],
  [[3], 0],
  [[1, 4, 2, 4], 1],
  [[0, 0], 0],
])('peakOf(%j) is %d', (values, peak) => {
  expect(peakOf(values)).toBe(peak)
})
