import type { OutlineColumns } from '../outline/outline-columns.ts'
import { bucketOf, createTimeAxis, type TimeAxis } from './time-axis.ts'

/** Events and characters over time, one value per bucket of the axis. */
export interface Activity {
  readonly axis: TimeAxis
  readonly events: Uint32Array
  readonly characters: Float64Array
  /** The first entry of each bucket, -1 where it has none. */
  readonly firstSeq: Int32Array
  readonly eventCount: number
  readonly characterCount: number
  /** From the first entry to the last. */
  readonly lengthMs: number
}

/** Counts all entries in one pass; `nowMs` extends the axis to the present. */
export function bucketActivity(columns: OutlineColumns, nowMs?: number): Activity {
  const { count, at, characters: lengths } = columns
  const firstAt = at[0] ?? 0
  const lastAt = at[count - 1] ?? firstAt
  const axis = createTimeAxis(firstAt, nowMs !== undefined && nowMs > lastAt ? nowMs : lastAt)
  const events = new Uint32Array(axis.buckets)
  const characters = new Float64Array(axis.buckets)
  const firstSeq = new Int32Array(axis.buckets).fill(-1)
  let characterCount = 0
  for (let seq = 0; seq < count; seq++) {
    const bucket = bucketOf(axis, at[seq] ?? firstAt)
    const length = lengths[seq] || 0
    if (firstSeq[bucket] === -1) firstSeq[bucket] = seq
    events[bucket] = (events[bucket] ?? 0) + 1
    characters[bucket] = (characters[bucket] ?? 0) + length
    characterCount += length
  }
  const lengthMs = Math.max(0, lastAt - firstAt) || 0
  return { axis, events, characters, firstSeq, eventCount: count, characterCount, lengthMs }
}

/** The nearest bucket with entries, if possible in the given direction (0: either); -1 if there is none. */
export function filledBucket({ firstSeq }: Activity, wanted: number, direction: number): number {
  let best = -1
  let bestCost = Number.POSITIVE_INFINITY
  for (let bucket = 0; bucket < firstSeq.length; bucket++) {
    if ((firstSeq[bucket] ?? -1) < 0) continue
    const isBehind = direction !== 0 && Math.sign(bucket - wanted) === -direction
    const cost = Math.abs(bucket - wanted) + (isBehind ? firstSeq.length : 0)
    if (cost < bestCost) {
      best = bucket
      bestCost = cost
    }
  }
  return best
}

/** The index of the first largest value, 0 in an empty list. */
export function peakOf(values: ArrayLike<number>): number {
  let peak = 0
  for (let index = 1; index < values.length; index++)
    if ((values[index] ?? 0) > (values[peak] ?? 0)) peak = index
  return peak
}
