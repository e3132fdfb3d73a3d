import { useClient, useSessionEntries } from '@sluice/react'
import { type MouseEvent, useId, useMemo, useState, useSyncExternalStore } from 'react'
import { formatCount, formatNumber } from '../format/format-number.ts'
import type { OutlineStore } from '../outline/outline-store.ts'
import { useOutline } from '../outline/use-outline.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { Trouble } from '../shell/trouble.tsx'
import { createEntryCache } from './entry-cache.ts'
import { EntryList } from './entry-list.tsx'
import { EntrySearch } from './entry-search.tsx'
import { createFilteredRows, createFoundRows, type Group, groups } from './timeline-filter.ts'
import { useEntrySearch } from './use-entry-search.ts'

interface TimelineProps {
  readonly session: string
  readonly outline: OutlineStore
  readonly selected: number | undefined
  /** The last entry that has happened, when the past is shown. */
  readonly at: number | undefined
  onSelect(seq: number): void
}

/** The entries of a session: all, those of one kind, or those with a text. */
export function Timeline({ session, outline, selected, at, onSelect }: TimelineProps) {
  const id = useId()
  const client = useClient()
  const { columns, revision, total, isLoading, error } = useOutline(outline)
  const [group, setGroup] = useState<Group>('all')
  const [text, setText] = useState('')
  const search = useEntrySearch(session, text)
  const found = search.progress?.found
  const rows = useMemo(
    () => (found === undefined ? createFilteredRows(columns, group) : createFoundRows(found)),
    [columns, group, found],
  )
  const cache = useMemo(() => createEntryCache(client, session), [client, session])
  useSyncExternalStore(cache.subscribe, cache.getSnapshot)
  useSessionEntries(session, (entries) => cache.add(entries))
  const [isFollowing, setFollowing] = useState(selected === undefined)
  useShortcut('l', () => setFollowing(true))
  rows.update()
  const count = at === undefined ? rows.count : rows.rowOf(at + 1)
  const isWhole = group === 'all' && found === undefined

  const toNewest = (event: MouseEvent): void => {
    setFollowing(true)
    // The button disappears, so the focus moves to the list.
    event.currentTarget.closest('section')?.querySelector<HTMLElement>('[role="listbox"]')?.focus()
  }

  return (
    <section className="timeline" aria-labelledby={`${id}-title`}>
      <div className="timeline-head">
        <h2 id={`${id}-title`} className="section-title">
          Timeline
        </h2>
        <span className="note">
          {isWhole
            ? formatCount(count, 'entry', 'entries')
            : `${formatNumber(count)} of ${formatCount(columns.count, 'entry', 'entries')}`}
          {isLoading && total > columns.count ? `, loading ${formatNumber(total)}` : ''}
        </span>
        <EntrySearch {...search} onSearch={setText} />
        {found === undefined && (
          <fieldset className="chips">
            <legend className="visually-hidden">Show</legend>
            {Object.entries(groups).map(([value, label]) => (
              <label key={value} className="chip">
                <input
                  type="radio"
                  name={`${id}-group`}
                  checked={group === value}
                  onChange={() => setGroup(value as Group)} // a key of the table
                />
                <span>{label}</span>
              </label>
            ))}
          </fieldset>
        )}
        {!isFollowing && at === undefined && (
          <button type="button" className="button button-small" onClick={toNewest}>
            To the newest entry
          </button>
        )}
      </div>
      {error !== undefined && (
        <Trouble what="The timeline could not be read to its end." error={error}>
          <button type="button" className="button" onClick={outline.retry}>
            Try again
          </button>
        </Trouble>
      )}
      {cache.error !== undefined && (
        <Trouble what="These entries could not be read." error={cache.error}>
          <button type="button" className="button" onClick={cache.retry}>
            Try again
          </button>
        </Trouble>
      )}
      {count === 0 && !isLoading && <p className="note">There is no such entry.</p>}
      <EntryList
        columns={columns}
        revision={revision}
        rows={rows}
        count={count}
        entryAt={cache.get}
        selected={selected}
        // Until all entries are known, the end moves away as fast as it is read.
        isFollowing={isFollowing && columns.count >= total}
        onLeaveEnd={() => setFollowing(false)}
        onSelect={onSelect}
      />
    </section>
  )
}
