import type { SluiceFrame } from '@sluice/client'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef } from 'react'
import type { GrowingColumns } from '../outline/growing-columns.ts'
import type { FilteredRows } from './timeline-filter.ts'
import { TimelineRow } from './timeline-row.tsx'
import { useRowHeight, useScrollPlace } from './use-scroll-place.ts'
import { scrollFor, visibleRows } from './visible-rows.ts'

interface EntryListProps {
  readonly columns: GrowingColumns
  /** Changes when the columns grow. */
  readonly revision: number
  readonly rows: FilteredRows
  /** How many of the rows are shown. */
  readonly count: number
  entryAt(seq: number): SluiceFrame | undefined
  readonly selected: number | undefined
  /** Keeps the end in view while the list grows. */
  readonly isFollowing: boolean
  onLeaveEnd(): void
  onSelect(seq: number): void
}

/** A list of entries to select one from. The page holds only the visible rows, however long the list is. */
export function EntryList(props: EntryListProps) {
  const { columns, revision, rows, count, entryAt, selected, isFollowing, onLeaveEnd, onSelect } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const rowHeight = useRowHeight(list)
  const { scrollTop, height, scrollTo } = useScrollPlace(list)
  const { first, end } = visibleRows({ scrollTop, height, rowHeight }, count)
  const start = columns.at[0] ?? 0
  const active = selected === undefined ? undefined : rows.rowOf(selected)
  const isActiveShown =
    active !== undefined && active >= first && active < end && rows.seqAt(active) === selected

  useLayoutEffect(() => {
    if (isFollowing && revision >= 0 && count > 0) scrollTo(count * rowHeight)
  }, [isFollowing, revision, count, rowHeight, scrollTo])

  // Only scrolling up leaves the end: the end also moves away by itself when entries arrive.
  const lastTop = useRef(0)
  const onScroll = (): void => {
    const top = list.current?.scrollTop ?? 0
    if (top < lastTop.current - 1 && top < count * rowHeight - height - rowHeight) onLeaveEnd()
    lastTop.current = top
  }

  // The selected entry is scrolled into view once, as soon as it is loaded.
  const brought = useRef<number>(undefined)
  useEffect(() => {
    if (selected === undefined || brought.current === selected || height === 0) return
    if (columns.count <= selected) return
    brought.current = selected
    onLeaveEnd()
    scrollTo(scrollFor(rows.rowOf(selected), { scrollTop, height, rowHeight }))
  })

  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1)
    const from = active ?? (isFollowing ? count : -1)
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 0,
      End: count - 1,
    }
    const row = moves[event.key]
    if (row === undefined || count === 0) return
    event.preventDefault()
    onSelect(rows.seqAt(Math.min(count - 1, Math.max(0, row))))
  }

  return (
    <div
      ref={list}
      className="timeline-list"
      role="listbox"
      tabIndex={0}
      aria-label="Entries"
      aria-activedescendant={isActiveShown ? `${id}-${selected}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={onScroll}
    >
      <div className="timeline-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, end - first) }, (_, index) => {
          const row = first + index
          const seq = rows.seqAt(row)
          return (
            <TimelineRow
              key={seq}
              id={`${id}-${seq}`}
              seq={seq}
              row={row}
              count={count}
              top={row * rowHeight}
              offsetMs={(columns.at[seq] ?? start) - start}
              shape={columns.shapes[columns.shape[seq] ?? 0]}
              findings={columns.findings[seq] ?? 0}
              entry={entryAt(seq)}
              isSelected={seq === selected}
              onSelect={onSelect}
            />
          )
        })}
      </div>
    </div>
  )
}
