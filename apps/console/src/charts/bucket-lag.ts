import type { LagSample, OutlineColumns } from '../outline/outline-columns.ts'
import { createLagSeries, isKnownLag, type LagColumns, type LagSeries } from './lag-series.ts'
import { createTimeAxis, type TimeAxis } from './time-axis.ts'

/** Both kinds of delay, on one axis. */
export interface Lag {
  readonly axis: TimeAxis
  /** From the log to this page. */
  readonly toPage: LagSeries
  /** From the agent to the log. */
  readonly toLog: LagSeries
}

/** Puts all known lags into the buckets of an axis that holds them. */
export function bucketLag(samples: readonly LagSample[], columns: OutlineColumns): Lag {
  const toPage = sampleColumns(samples)
  const toLog = { count: columns.count, at: columns.at, lagMs: columns.delayMs }
  const axis = axisOf([toPage, toLog])
  return { axis, toPage: createLagSeries(axis, toPage), toLog: createLagSeries(axis, toLog) }
}

function sampleColumns(samples: readonly LagSample[]): LagColumns {
  const at = new Float64Array(samples.length)
  const lagMs = new Float64Array(samples.length)
  let index = 0
  for (const sample of samples) {
    at[index] = sample.at
    lagMs[index++] = sample.lagMs
  }
  return { count: samples.length, at, lagMs }
}

function axisOf(all: readonly LagColumns[]): TimeAxis {
  let startAt = Number.POSITIVE_INFINITY
  let endAt = Number.NEGATIVE_INFINITY
  for (const columns of all) {
    for (let index = 0; index < columns.count; index++) {
      if (!isKnownLag(columns, index)) continue
      const at = columns.at[index] ?? 0
      if (at < startAt) startAt = at
      if (at > endAt) endAt = at
    }
  }
  return createTimeAxis(startAt, endAt)
}
