import { useId } from 'react'
import { formatNumber } from '../format/format-number.ts'
import { formatOffset } from '../format/format-offset.ts'
import type { CallSpan } from '../outline/outline-columns.ts'
import { ChartAxis } from './chart-axis.tsx'
import { ChartFigure } from './chart-figure.tsx'
import { ChartTable } from './chart-table.tsx'
import { describeCall, describeCalls, formatTool } from './describe-calls.ts'
import { selectCalls } from './select-calls.ts'
import { createTimeAxis } from './time-axis.ts'
import { WaterfallBars } from './waterfall-bars.tsx'

interface ToolWaterfallProps {
  readonly calls: readonly CallSpan[]
  readonly startAt: number
  /** The end of the session, or the present: calls without an end are drawn up to here. */
  readonly endAt: number
  /** Receives the entry that a call starts with; without it the chart is read-only. */
  readonly onSelect?: ((seq: number) => void) | undefined
}

const maxRows = 200
const maxTableRows = 120
const tableColumns = ['Tool', 'From', 'Duration and outcome']

/** Tool calls from start to end, one below the other. */
export function ToolWaterfall({ calls, startAt, endAt, onSelect }: ToolWaterfallProps) {
  const captionId = useId()
  const shown = selectCalls(calls, endAt, maxRows)
  const figure = { title: 'Tool calls', finding: describeCalls(calls, endAt, shown.length), captionId }
  if (calls.length === 0) return <ChartFigure {...figure} />
  const { spanMs } = createTimeAxis(startAt, endAt)
  const listed = selectCalls(calls, endAt, maxTableRows)
  const rows = listed.map((call) => [
    formatTool(call),
    formatOffset(call.at - startAt, spanMs),
    describeCall(call, endAt),
  ])
  const note = `The ${formatNumber(listed.length)} longest of ${formatNumber(calls.length)} calls.`
  return (
    <ChartFigure {...figure}>
      {/* Its buttons can be focused and scroll into view; without them it is focused itself. */}
      <section className="chart-calls-scroll" aria-label="Tool calls" tabIndex={onSelect ? undefined : 0}>
        <div className="chart-calls">
          <ol className="chart-calls-list">
            {shown.map((call) => (
              <li key={`${call.seq} ${call.call}`} className="chart-calls-item">
                <CallRow call={call} endAt={endAt} onSelect={onSelect} />
              </li>
            ))}
          </ol>
          <WaterfallBars {...{ calls: shown, startAt, endAt, captionId }} />
          <div className="chart-calls-axis" dir="ltr">
            <ChartAxis lengthMs={endAt - startAt} stepMs={spanMs} />
          </div>
        </div>
      </section>
      <ChartTable
        title="Tool calls"
        columns={tableColumns}
        rows={rows}
        note={listed.length < calls.length ? note : undefined}
      />
    </ChartFigure>
  )
}

interface CallRowProps extends Pick<ToolWaterfallProps, 'endAt' | 'onSelect'> {
  readonly call: CallSpan
}

function CallRow({ call, endAt, onSelect }: CallRowProps) {
  const words = (
    <span className="chart-call-words">
      <bdi className="chart-call-tool">{formatTool(call)}</bdi>{' '}
      <bdi className="chart-call-outcome">{describeCall(call, endAt)}</bdi>
    </span>
  )
  if (onSelect === undefined) return <div className="chart-call">{words}</div>
  return (
    <button type="button" className="chart-call" onClick={() => onSelect(call.seq)}>
      {words}
    </button>
  )
}
