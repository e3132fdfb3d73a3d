import { formatOffset } from '../format/format-offset.ts'

interface ChartAxisProps {
  readonly lengthMs: number
  /** How exact the times are. */
  readonly stepMs: number
}

/** Start, middle and end of the time under a chart; nothing if the time has no length. */
export function ChartAxis({ lengthMs, stepMs }: ChartAxisProps) {
  if (!(lengthMs > 0)) return null
  return (
    <div className="chart-axis">
      {[0, 0.5, 1].map((share) => (
        <span key={share}>{formatOffset(share * lengthMs, stepMs)}</span>
      ))}
    </div>
  )
}
