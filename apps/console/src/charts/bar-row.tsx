import { memo, useId } from 'react'
import { barPath } from './bar-path.ts'

interface BarRowProps {
  readonly label: string
  readonly tone: 1 | 2
  readonly values: ArrayLike<number>
  /** Drawn inside the bars, on their scale. */
  readonly innerValues?: ArrayLike<number> | undefined
  readonly peak: number
  /** The highlighted bar. */
  readonly marked?: number | undefined
}

/** One row of bars with its own scale, as wide as the space allows. */
export const BarRow = memo(function BarRow(props: BarRowProps) {
  const { label, tone, values, innerValues, peak, marked } = props
  const labelId = useId()
  const place = marked === undefined ? {} : { x1: marked + 0.5, x2: marked + 0.5, y1: 0, y2: 100 }
  return (
    <div className={`chart-row chart-tone-${tone}`}>
      <p id={labelId} className="chart-label">
        {label}
      </p>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the label is its name */}
      <svg
        className="chart-bars"
        role="img"
        aria-labelledby={labelId}
        viewBox={`0 0 ${values.length} 100`}
        preserveAspectRatio="none"
      >
        <path
          className={innerValues === undefined ? 'chart-bar' : 'chart-bar-outer'}
          d={barPath(values, peak)}
        />
        {innerValues !== undefined && <path className="chart-bar" d={barPath(innerValues, peak)} />}
        {marked !== undefined && <line className="chart-marker-edge" {...place} />}
        {marked !== undefined && <line className="chart-marker" {...place} />}
      </svg>
    </div>
  )
})
