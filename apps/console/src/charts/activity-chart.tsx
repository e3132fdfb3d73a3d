import { useMemo, useState } from 'react'
import { formatNumber } from '../format/format-number.ts'
import type { OutlineColumns } from '../outline/outline-columns.ts'
import { BarRow } from './bar-row.tsx'
import { type Activity, bucketActivity, peakOf } from './bucket-activity.ts'
import { BucketSlider } from './bucket-slider.tsx'
import { ChartAxis } from './chart-axis.tsx'
import { ChartFigure } from './chart-figure.tsx'
import { ChartTable } from './chart-table.tsx'
import { describeActivity, describeBucket } from './describe-activity.ts'
import { formatBucket, formatSpan } from './format-bucket.ts'
import { bucketOf, lengthOf } from './time-axis.ts'

interface ActivityChartProps {
  readonly columns: OutlineColumns
  /** Changes whenever the columns grow; they are read again then. */
  readonly revision: number
  /** The current time, while the session runs. */
  readonly nowMs?: number | undefined
  /** The selected entry, where the slider is. */
  readonly selectedSeq?: number | undefined
  /** Receives the first entry of the selected stretch of time; without it the chart is read-only. */
  readonly onSelect?: ((seq: number) => void) | undefined
}

/** Events and characters over time. */
export function ActivityChart({ columns, revision, nowMs, selectedSeq, onSelect }: ActivityChartProps) {
  const [pointed, setPointed] = useState<number>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns grow in place
  const activity = useMemo(() => bucketActivity(columns, nowMs), [columns, revision, nowMs])
  const rows = useMemo(() => tableRows(activity), [activity])
  const { axis, events, characters, firstSeq } = activity

  const isSelected = selectedSeq !== undefined && selectedSeq >= 0 && selectedSeq < columns.count
  const selected = isSelected ? bucketOf(axis, columns.at[selectedSeq] ?? Number.NaN) : undefined
  const read = pointed !== undefined && pointed < axis.buckets ? pointed : selected
  const select = (bucket: number): void => onSelect?.(firstSeq[bucket] ?? 0)

  const figure = { title: 'Activity', finding: describeActivity(activity) }
  if (activity.eventCount === 0) return <ChartFigure {...figure} />
  const series = [
    { name: 'Events', tone: 1, values: events },
    { name: 'Characters', tone: 2, values: characters },
  ] as const
  return (
    <ChartFigure {...figure}>
      <div className="chart-plot" dir="ltr">
        <div className="chart-rows">
          {series.map(({ name, tone, values }) => {
            const peak = values[peakOf(values)] ?? 0
            const label = `${name} ${formatSpan(axis)}, at most ${formatNumber(peak)}`
            return <BarRow key={name} {...{ label, tone, values, peak, marked: selected }} />
          })}
          {onSelect && <BucketSlider {...{ activity, selected, onPoint: setPointed, onSelect: select }} />}
        </div>
        <ChartAxis lengthMs={lengthOf(axis)} stepMs={axis.spanMs} />
      </div>
      {onSelect && (
        <p className="chart-readout" dir="auto">
          {read === undefined
            ? 'Choose a moment with a pointer or the arrow keys.'
            : describeBucket(activity, read)}
        </p>
      )}
      <ChartTable title="Activity" columns={tableColumns} rows={rows} note={tableNote} />
    </ChartFigure>
  )
}

const tableColumns = ['From', 'Events', 'Characters']
const tableNote = 'Stretches without events are left out.'

function tableRows({ axis, events, characters }: Activity): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = []
  for (const [bucket, count] of events.entries())
    if (count > 0)
      rows.push([formatBucket(axis, bucket), formatNumber(count), formatNumber(characters[bucket] ?? 0)])
  return rows
}
