import { useId } from 'react'
import type { CallSpan } from '../outline/outline-columns.ts'
import { type CallState, callState } from './describe-calls.ts'

/** The shape at the end of a bar, in pixels around that point: colour alone must not convey a state. */
const endShapes: Readonly<Record<CallState, string>> = {
  success: 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  error: 'M-4 -4L4 4M-4 4L4 -4',
  timeout: 'M0 -8V8M-4 -8H4M-4 8H4',
  ended: 'M0 -5V5',
  running: 'M-3 -5L3 0L-3 5',
}
/** Percent of the width that even the shortest call gets. */
const minWidth = 0.4
/** In pixels. */
const barHeight = 14

interface WaterfallBarsProps {
  readonly calls: readonly CallSpan[]
  readonly startAt: number
  readonly endAt: number
  readonly captionId: string
}

/** A bar for each call, in rows of equal height that fill the height of the list beside it. */
export function WaterfallBars({ calls, startAt, endAt, captionId }: WaterfallBarsProps) {
  const patternId = useId()
  const rowHeight = 100 / calls.length
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the caption is its name
    <svg className="chart-call-bars" role="img" aria-labelledby={captionId}>
      <defs>
        <pattern
          id={patternId}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect className="chart-call-stripe" width="2" height="6" />
        </pattern>
      </defs>
      {calls.map((call, row) => {
        const state = callState(call)
        const x = placeOf(call.at, startAt, endAt)
        const end = Math.max(x, placeOf(call.endAt ?? endAt, startAt, endAt))
        const y = `${(row + 0.5) * rowHeight}%`
        const bar = {
          x: `${Math.min(x, 100 - minWidth)}%`,
          width: `${Math.max(minWidth, end - x)}%`,
          y,
          height: barHeight,
          transform: `translate(0 ${-barHeight / 2})`,
        }
        return (
          <g key={`${call.seq} ${call.call}`} className={`chart-call-${state}`}>
            <rect className="chart-call-bar" {...bar} />
            {state === 'error' && <rect {...bar} fill={`url(#${patternId})`} />}
            <svg x={`${end}%`} y={y} overflow="visible" aria-hidden="true">
              <path className="chart-call-end" d={endShapes[state]} />
            </svg>
          </g>
        )
      })}
    </svg>
  )
}

/** Percent of the way from start to end. */
function placeOf(at: number, startAt: number, endAt: number): number {
  const share = (at - startAt) / (endAt - startAt)
  return Number.isFinite(share) ? Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100 : 0
}
