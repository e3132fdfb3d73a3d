import { useMemo } from 'react'
import { formatDuration } from '../format/format-duration.ts'
import type { LagSample, OutlineColumns } from '../outline/outline-columns.ts'
import { BarRow } from './bar-row.tsx'
import { bucketLag, type Lag } from './bucket-lag.ts'
import { ChartAxis } from './chart-axis.tsx'
import { ChartFigure } from './chart-figure.tsx'
import { ChartTable } from './chart-table.tsx'
import { describeLag } from './describe-lag.ts'
import { formatBucket, formatSpan } from './format-bucket.ts'
import type { LagSeries } from './lag-series.ts'
import { lengthOf } from './time-axis.ts'

interface LagChartProps {
  readonly samples: readonly LagSample[]
  readonly columns: OutlineColumns
  /** Changes whenever samples or columns grow; they are read again then. */
  readonly revision: number
}

/** How late events arrived: at this page and, where the agent reports its time, at the log. */
export function LagChart({ samples, columns, revision }: LagChartProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: samples and columns grow in place
  const lag = useMemo(() => bucketLag(samples, columns), [samples, samples.length, columns, revision])
  const rows = useMemo(() => tableRows(lag), [lag])
  const { axis, toPage, toLog } = lag

  const figure = { title: 'Delivery', finding: describeLag(lag) }
  if (toPage.count + toLog.count === 0) return <ChartFigure {...figure} />
  const series = [
    { name: 'From the log to this page', tone: 1, ...toPage },
    { name: 'From the agent to the log', tone: 2, ...toLog },
  ] as const
  return (
    <ChartFigure {...figure}>
      <div className="chart-plot" dir="ltr">
        {series
          .filter(({ count }) => count > 0)
          .map(({ name, tone, largestMs, medianMs, maxMs }) => {
            const label = `${name}, up to ${formatDuration(Math.max(0, maxMs))}`
            return (
              <BarRow
                key={name}
                {...{ label, tone, peak: maxMs, values: largestMs, innerValues: medianMs }}
              />
            )
          })}
        <ChartAxis lengthMs={lengthOf(axis)} stepMs={axis.spanMs} />
      </div>
      <p className="chart-note" dir="auto">
        Each bar: outlined the largest delay {formatSpan(axis)}, filled the median.
      </p>
      <ChartTable title="Delivery" columns={tableColumns} rows={rows} note={tableNote} />
    </ChartFigure>
  )
}

const tableColumns = [
  'From',
  'To this page, median',
  'To this page, largest',
  'To the log, median',
  'To the log, largest',
]
const tableNote = 'Stretches without events are left out.'

function tableRows({ axis, toPage, toLog }: Lag): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = []
  for (let bucket = 0; bucket < axis.buckets; bucket++) {
    const cells = [toPage, toLog].map((series) => lagCells(series, bucket))
    if (cells.some(({ isKnown }) => isKnown))
      rows.push([formatBucket(axis, bucket), ...cells.flatMap(({ texts }) => texts)])
  }
  return rows
}

function lagCells({ counts, medianMs, largestMs }: LagSeries, bucket: number) {
  if (counts[bucket] === 0) return { isKnown: false, texts: ['none', 'none'] }
  return { isKnown: true, texts: [medianMs, largestMs].map((values) => formatDuration(values[bucket] ?? 0)) }
}
