import type { ToldEntry } from '@sluice/client'
import type { JsonObject } from '@sluice/protocol'
import { useClient } from '@sluice/react'
import { useCallback, useMemo, useState } from 'react'
import { Choice } from '../settings/choice.tsx'
import { JsonView } from '../shell/json-view.tsx'
import { Trouble } from '../shell/trouble.tsx'
import { useAnswer } from '../shell/use-answer.ts'

interface DialectViewProps {
  readonly session: string
  readonly seq: number
}

/** An entry as clients of a dialect receive it, and what that dialect cannot express. */
export function DialectView({ session, seq }: DialectViewProps) {
  const client = useClient()
  const askDialects = useCallback((signal: AbortSignal) => client.dialects({ signal }), [client])
  const { answer: known = [], error: unlisted } = useAnswer(askDialects)
  const [chosen, setChosen] = useState<string>()
  const dialect = chosen ?? known[0]?.id
  const ask = useMemo(() => {
    if (dialect === undefined) return undefined
    return (signal: AbortSignal) => client.entryIn(session, seq, { dialect, signal })
  }, [client, session, seq, dialect])
  const { answer, error } = useAnswer(ask)

  if (unlisted !== undefined) return <Trouble what="The dialects are not known." error={unlisted} />
  if (dialect === undefined) return null
  return (
    <>
      <h3 className="entry-title">In each dialect</h3>
      <Choice
        label="Dialect"
        value={dialect}
        options={known.map(({ id, title }) => [id, title])}
        onChange={setChosen}
      />
      {answer === undefined && error === undefined && <p className="note">Loading…</p>}
      {error !== undefined && <Trouble what="It cannot be shown in this dialect." error={error} />}
      {answer !== undefined && <InDialect answer={answer} />}
    </>
  )
}

function InDialect({ answer: { dialect, frames, lost } }: { readonly answer: ToldEntry<JsonObject> }) {
  return (
    <>
      {frames.length === 0 && <p className="note">A client of this dialect gets nothing for this entry.</p>}
      {frames.map(({ cursor, frame }) => (
        <JsonView key={cursor} label={`${dialect}, cursor ${cursor}`} value={frame} />
      ))}
      {lost.length === 0 ? (
        <p className="note">Nothing is lost.</p>
      ) : (
        <>
          <h4 className="entry-lost-title">What is lost</h4>
          <ul className="lost">
            {lost.map((path) => (
              <li key={path}>
                <code className="code-inline">{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
