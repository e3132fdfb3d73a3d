import type { ReactNode } from 'react'
import './charts.css'

interface ChartFigureProps {
  readonly title: string
  /** What the chart shows, in words. */
  readonly finding: string
  /** The id by which other elements refer to the caption. */
  readonly captionId?: string | undefined
  readonly children?: ReactNode
}

/** A chart below its finding in words. */
export function ChartFigure({ title, finding, captionId, children }: ChartFigureProps) {
  return (
    <figure className="chart-figure">
      <figcaption id={captionId} className="chart-caption" dir="auto">
        <span className="chart-title">{title}</span> {finding}
      </figcaption>
      {children}
    </figure>
  )
}
