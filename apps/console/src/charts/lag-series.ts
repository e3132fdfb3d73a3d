import { quantile } from './select-rank.ts'
import { bucketOf, maxBuckets, type TimeAxis } from './time-axis.ts'

/** How late events arrived: in total, and per bucket of the axis. */
export interface LagSeries {
  /** How many lags are known. */
  readonly count: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly maxMs: number
  /** Below zero where one clock is ahead of the other. */
  readonly minMs: number
  /** How many arrived before they were sent, because clocks differ. */
  readonly earlyCount: number
  readonly counts: Uint32Array
  /** 0 for an empty bucket. */
  readonly medianMs: Float64Array
  readonly largestMs: Float64Array
}

/** Lags and the times at which they were measured, in columns. */
export interface LagColumns {
  readonly count: number
  readonly at: ArrayLike<number>
  readonly lagMs: ArrayLike<number>
}

/** Sums up the known lags: those that are finite, at a finite time. */
export function createLagSeries(axis: TimeAxis, columns: LagColumns): LagSeries {
  const { lags, counts, ends } = groupLags(axis, columns)
  const medianMs = new Float64Array(axis.buckets)
  const largestMs = new Float64Array(axis.buckets)
  let maxMs = Number.NEGATIVE_INFINITY
  let minMs = Number.POSITIVE_INFINITY
  let earlyCount = 0
  for (let bucket = 0; bucket < axis.buckets; bucket++) {
    const end = ends[bucket] ?? 0
    const inBucket = lags.subarray(end - (counts[bucket] ?? 0), end)
    let largest = Number.NEGATIVE_INFINITY
    for (let index = 0; index < inBucket.length; index++) {
      const lag = inBucket[index] ?? 0
      if (lag > largest) largest = lag
      if (lag < minMs) minMs = lag
      if (lag < 0) earlyCount++
    }
    if (inBucket.length === 0) continue
    if (largest > maxMs) maxMs = largest
    largestMs[bucket] = largest
    medianMs[bucket] = quantile(inBucket, 0.5)
  }
  const all = lags.length === 0 ? { maxMs: 0, minMs: 0 } : { maxMs, minMs }
  const [p50Ms, p95Ms] = [quantile(lags, 0.5), quantile(lags, 0.95)]
  return { count: lags.length, p50Ms, p95Ms, ...all, earlyCount, counts, medianMs, largestMs }
}

export function isKnownLag({ at, lagMs }: LagColumns, index: number): boolean {
  return Number.isFinite(at[index]) && Number.isFinite(lagMs[index])
}

/** All known lags, grouped by bucket: those of a bucket are the `counts` values before its `ends`. */
function groupLags(axis: TimeAxis, columns: LagColumns) {
  const { at, lagMs, count } = columns
  const unknown = maxBuckets
  const bucketAt = new Uint8Array(count).fill(unknown)
  const counts = new Uint32Array(axis.buckets)
  for (let index = 0; index < count; index++) {
    if (!isKnownLag(columns, index)) continue
    const bucket = bucketOf(axis, at[index] ?? 0)
    bucketAt[index] = bucket
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  const ends = new Uint32Array(axis.buckets)
  let known = 0
  for (let bucket = 0; bucket < axis.buckets; bucket++) {
    ends[bucket] = known
    known += counts[bucket] ?? 0
  }
  const lags = new Float64Array(known)
  for (let index = 0; index < count; index++) {
    const bucket = bucketAt[index] ?? unknown
    if (bucket === unknown) continue
    const place = ends[bucket] ?? 0
    lags[place] = lagMs[index] ?? 0
    ends[bucket] = place + 1
  }
  return { lags, counts, ends }
}
