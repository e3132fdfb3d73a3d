import { ActivityChart } from '../charts/activity-chart.tsx'
import { LagChart } from '../charts/lag-chart.tsx'
import { ToolWaterfall } from '../charts/tool-waterfall.tsx'
import type { LagSample } from '../outline/outline-columns.ts'
import type { OutlineStore } from '../outline/outline-store.ts'
import { useOutline } from '../outline/use-outline.ts'
import type { Route } from '../router/route.ts'
import { Link, navigate } from '../router/router.tsx'

interface ChartsPartProps {
  readonly route: Extract<Route, { readonly page: 'session' }>
  readonly outline: OutlineStore
  readonly lag: readonly LagSample[]
}

/** The session in figures: what happened when, how long tools took, how late events arrived. */
export function ChartsPart({ route, outline, lag }: ChartsPartProps) {
  const { columns, revision, isLoading } = useOutline(outline)
  const { seq } = route
  const select = (chosen: number): void => navigate({ ...route, seq: chosen }, { replace: true })
  if (columns.count === 0)
    return <p className="note">{isLoading ? 'Loading the entries…' : 'No entry yet.'}</p>
  const startAt = columns.at[0] ?? 0
  const endAt = columns.at[columns.count - 1] ?? startAt
  return (
    <div className="charts-part">
      <ActivityChart columns={columns} revision={revision} selectedSeq={seq} onSelect={select} />
      {seq !== undefined && (
        <p>
          <Link to={{ ...route, part: 'timeline' }}>Open entry {seq} in the timeline</Link>
        </p>
      )}
      <ToolWaterfall calls={[...columns.calls]} startAt={startAt} endAt={endAt} onSelect={select} />
      <LagChart samples={lag} columns={columns} revision={revision} />
    </div>
  )
}
