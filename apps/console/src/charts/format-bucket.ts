import { formatDuration } from '../format/format-duration.ts'
import { formatOffset } from '../format/format-offset.ts'
import type { TimeAxis } from './time-axis.ts'

/** Where a bucket starts, counted from the start of the axis. */
export function formatBucket({ spanMs }: TimeAxis, bucket: number): string {
  return formatOffset(bucket * spanMs, spanMs)
}

/** The time that one bar covers: `per 500 ms`, or `in all` for a single bar. */
export function formatSpan({ spanMs, buckets }: TimeAxis): string {
  return buckets === 1 ? 'in all' : `per ${formatDuration(spanMs)}`
}
