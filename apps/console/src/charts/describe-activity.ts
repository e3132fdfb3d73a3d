import { formatDuration } from '../format/format-duration.ts'
import { formatCount, formatNumber } from '../format/format-number.ts'
import { type Activity, peakOf } from './bucket-activity.ts'
import { formatBucket } from './format-bucket.ts'

/** What the chart shows, in one sentence. */
export function describeActivity(activity: Activity): string {
  const { eventCount, characterCount, lengthMs, events, axis } = activity
  const characters = formatCount(characterCount, 'character')
  if (eventCount === 0) return 'No events yet.'
  if (eventCount === 1) return `1 event with ${characters}.`
  const both = `${formatCount(eventCount, 'event')} with ${characters}`
  if (lengthMs === 0) return `${both}, all at the same time.`
  const peak = peakOf(events)
  const most = `most (${formatNumber(events[peak] ?? 0)}) at ${formatBucket(axis, peak)}`
  return `${both} in ${formatDuration(lengthMs)}, ${most}.`
}

/** One bucket, such as `0:12 to 0:13: 310 events, 4 200 characters`. */
export function describeBucket({ axis, events, characters }: Activity, bucket: number): string {
  const what = `${formatCount(events[bucket] ?? 0, 'event')}, ${formatCount(characters[bucket] ?? 0, 'character')}`
  if (axis.buckets === 1) return what
  return `${formatBucket(axis, bucket)} to ${formatBucket(axis, bucket + 1)}: ${what}`
}
