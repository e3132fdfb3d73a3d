import { useId, useRef, useState } from 'react'
import { useShortcut } from '../shell/shortcuts.ts'
import { Trouble } from '../shell/trouble.tsx'
import { useNow } from '../shell/use-now.ts'
import type { ListFilter } from './session-list.ts'
import { SessionRow } from './session-row.tsx'
import { useSessionList } from './use-session-list.ts'
import { useSettled } from './use-settled.ts'

const states = [
  ['', 'All'],
  ['open', 'At work'],
  ['waiting', 'Waiting'],
  ['ended', 'Ended'],
] as const

/** The live list of sessions with its search. */
export function SessionPane({ current }: { readonly current: string | undefined }) {
  const id = useId()
  const [text, setText] = useState('')
  const [state, setState] = useState<(typeof states)[number][0]>('')
  const q = useSettled(text.trim(), 250)
  const filter: ListFilter = { q, ...(state === '' ? {} : { state }) }
  const { phase, sessions, hasMore, error, more } = useSessionList(filter)
  const nowMs = useNow(10_000)
  const search = useRef<HTMLInputElement>(null)
  useShortcut('/', () => search.current?.focus())
  const isFiltered = q !== '' || state !== ''

  return (
    <nav className="pane" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="pane-title">
        Sessions
      </h2>
      <search className="pane-search">
        <label className="visually-hidden" htmlFor={`${id}-q`}>
          Search sessions by request, agent, id or label
        </label>
        <input
          ref={search}
          id={`${id}-q`}
          className="input"
          type="search"
          placeholder="Search sessions"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <fieldset className="chips">
          <legend className="visually-hidden">State</legend>
          {states.map(([value, label]) => (
            <label key={value} className="chip">
              <input
                type="radio"
                name={`${id}-state`}
                checked={state === value}
                onChange={() => setState(value)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      </search>
      {phase === 'failed' && error !== undefined && (
        <Trouble error={error} what="The list cannot be shown." />
      )}
      {phase === 'loading' && <p className="pane-note">Loading the sessions…</p>}
      {phase === 'ready' && sessions.length === 0 && (
        <p className="pane-note">{isFiltered ? 'No session matches.' : 'There is no session yet.'}</p>
      )}
      <ul className="session-list">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} isCurrent={session.id === current} nowMs={nowMs} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" className="button button-quiet" onClick={() => void more()}>
          Show older sessions
        </button>
      )}
    </nav>
  )
}
