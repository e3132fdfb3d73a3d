import type { SluiceFrame } from '@sluice/client'
import { memo } from 'react'
import { formatCount } from '../format/format-number.ts'
import { formatOffset } from '../format/format-offset.ts'
import type { EntryShape } from '../outline/growing-columns.ts'
import { describeEntry } from './describe-entry.ts'

interface TimelineRowProps {
  readonly id: string
  readonly seq: number
  readonly row: number
  readonly count: number
  readonly top: number
  readonly offsetMs: number
  readonly shape: EntryShape | undefined
  readonly findings: number
  readonly entry: SluiceFrame | undefined
  readonly isSelected: boolean
  onSelect(seq: number): void
}

/** One entry on one line. */
export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { id, seq, row, count, top, offsetMs, shape, findings, entry, isSelected, onSelect } = props
  const line = entry === undefined ? undefined : describeEntry(entry)
  return (
    // The list has the focus and handles the keyboard.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: see above.
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-posinset={row + 1}
      aria-setsize={count}
      className="timeline-row"
      data-level={shape?.level}
      data-direction={shape?.direction}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onSelect(seq)}
    >
      <span className="timeline-seq">{seq}</span>
      <span className="timeline-at">{formatOffset(offsetMs, 100)}</span>
      <span className="timeline-label">{line?.label ?? shape?.kinds[0]?.replaceAll('-', ' ') ?? ''}</span>
      <span className="timeline-text" dir="auto">
        {line?.text ?? '…'}
      </span>
      {findings > 0 && <span className="badge badge-bad">{formatCount(findings, 'finding')}</span>}
    </div>
  )
})
