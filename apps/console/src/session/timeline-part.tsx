import { useRef } from 'react'
import { EntryPanel } from '../entry/entry-panel.tsx'
import type { OutlineStore } from '../outline/outline-store.ts'
import { useOutline } from '../outline/use-outline.ts'
import type { Route } from '../router/route.ts'
import { Timeline } from '../timeline/timeline.tsx'

interface TimelinePartProps {
  readonly route: Extract<Route, { readonly page: 'session' }>
  readonly outline: OutlineStore
  onSelect(seq: number | undefined): void
}

/** The timeline, with the opened entry beside it. */
export function TimelinePart({ route, outline, onSelect }: TimelinePartProps) {
  const { columns } = useOutline(outline)
  const { session, seq, at } = route
  const part = useRef<HTMLDivElement>(null)
  const close = (): void => {
    part.current?.querySelector<HTMLElement>('[role="listbox"]')?.focus()
    onSelect(undefined)
  }
  return (
    <div className="timeline-part" data-open={seq !== undefined} ref={part}>
      <Timeline session={session} outline={outline} selected={seq} at={at} onSelect={onSelect} />
      {seq !== undefined && (
        <EntryPanel
          session={session}
          seq={seq}
          head={columns.count - 1}
          startedAt={columns.at[0] ?? 0}
          onSelect={onSelect}
          onClose={close}
        />
      )}
    </div>
  )
}
