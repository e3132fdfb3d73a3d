import type { SluiceError } from '@sluice/protocol'
import { type FormEvent, useId, useState } from 'react'
import { formatCount, formatNumber } from '../format/format-number.ts'
import { Trouble } from '../shell/trouble.tsx'
import type { SearchProgress } from './search-entries.ts'

interface EntrySearchProps {
  readonly progress: SearchProgress | undefined
  readonly error: SluiceError | undefined
  /** Searches for a text; an empty one ends the search. */
  onSearch(text: string): void
}

/** Searches all entries of a session for a text. */
export function EntrySearch({ progress, error, onSearch }: EntrySearchProps) {
  const id = useId()
  const [text, setText] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSearch(text.trim())
  }
  const change = (next: string): void => {
    setText(next)
    if (next === '') onSearch('')
  }
  return (
    <search className="entry-search">
      <form onSubmit={submit}>
        <label className="visually-hidden" htmlFor={id}>
          Find in this session
        </label>
        <input
          id={id}
          className="input"
          type="search"
          placeholder="Find in this session"
          value={text}
          onChange={(event) => change(event.target.value)}
        />
        <button type="submit" className="button button-small">
          Find
        </button>
      </form>
      <p className="note" role="status">
        {progress !== undefined && describe(progress)}
      </p>
      {error !== undefined && <Trouble what="The search did not come to its end." error={error} />}
    </search>
  )
}

function describe({ found, looked, isDone }: SearchProgress): string {
  if (!isDone) return `Searching, ${formatNumber(looked)} entries so far…`
  return found.length === 0 ? 'Not found.' : `Found in ${formatCount(found.length, 'entry', 'entries')}.`
}
