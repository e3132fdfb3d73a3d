/** A stretch of time in buckets of equal width; bucket n begins at `startAt + n * spanMs`. */
export interface TimeAxis {
  readonly startAt: number
  readonly spanMs: number
  /** At least one. */
  readonly buckets: number
}

/** As many as a narrow screen can show apart. */
export const maxBuckets = 120

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const niceSpansMs = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28].map((count) => count * day),
]

/**
 * The axis with the shortest nice span that holds both ends in at most `maxBuckets`; one bucket unless the
 * end is later than the start.
 */
export function createTimeAxis(startAt: number, endAt: number): TimeAxis {
  const lengthMs = endAt - startAt
  if (!Number.isFinite(lengthMs) || lengthMs <= 0)
    return { startAt: Number.isFinite(startAt) ? startAt : 0, spanMs: 1, buckets: 1 }
  const nice = niceSpansMs.find((spanMs) => lengthMs < spanMs * maxBuckets)
  let spanMs = nice ?? 56 * day
  while (lengthMs >= spanMs * maxBuckets) spanMs *= 2
  return { startAt, spanMs, buckets: Math.floor(lengthMs / spanMs) + 1 }
}

/** The bucket of a moment. A time outside the axis goes to the nearest end, NaN to the first bucket. */
export function bucketOf({ startAt, spanMs, buckets }: TimeAxis, at: number): number {
  const bucket = Math.floor((at - startAt) / spanMs)
  if (!(bucket > 0)) return 0
  return bucket < buckets ? bucket : buckets - 1
}

/** The length of the axis in milliseconds; 0 for a single bucket, which is a moment. */
export function lengthOf({ spanMs, buckets }: TimeAxis): number {
  return buckets === 1 ? 0 : spanMs * buckets
}
