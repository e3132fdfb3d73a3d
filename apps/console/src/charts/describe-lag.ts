import { formatDuration } from '../format/format-duration.ts'
import { formatCount } from '../format/format-number.ts'
import type { Lag } from './bucket-lag.ts'
import type { LagSeries } from './lag-series.ts'

/** How late events arrived, at both places, in words. */
export function describeLag({ toPage, toLog }: Lag): string {
  const page = toPage.count === 0 ? 'no event came live yet.' : describeSeries(toPage)
  const log = toLog.count === 0 ? 'unknown, no event says when it was sent.' : describeSeries(toLog)
  return `From the log to this page: ${page} From the agent to the log: ${log}`
}

function describeSeries({ count, p50Ms, p95Ms, maxMs, minMs, earlyCount }: LagSeries): string {
  const late =
    count === 1
      ? `1 event, ${formatLate(maxMs)} late.`
      : [
          `half within ${formatLate(p50Ms)}`,
          `95\u00a0% within ${formatLate(p95Ms)}`,
          `all ${formatCount(count, 'event')} within ${formatLate(maxMs)}.`,
        ].join(', ')
  if (earlyCount === 0) return late
  const early = `${formatCount(earlyCount, 'event')} came up to ${formatDuration(-minMs)} before being sent`
  return `${late} By the clocks ${early}: they differ.`
}

const formatLate = (lagMs: number): string => formatDuration(Math.max(0, lagMs))
