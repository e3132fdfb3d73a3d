import type { ToldEntry } from '@sluice/client'
import type { JsonObject, SluiceError } from '@sluice/protocol'
import { toSluiceError, useClient } from '@sluice/react'
import { useEffect, useState } from 'react'
import { Choice } from '../settings/choice.tsx'
import { JsonView } from '../shell/json-view.tsx'
import { Trouble } from '../shell/trouble.tsx'

interface DialectViewProps {
  readonly session: string
  readonly seq: number
}

interface Shown {
  readonly dialect: string
  readonly answer?: ToldEntry<JsonObject>
  readonly error?: SluiceError
}

/** An entry as the clients of a contract get it, and what that contract has no words for. */
export function DialectView({ session, seq }: DialectViewProps) {
  const client = useClient()
  const [dialects, setDialects] = useState<readonly (readonly [string, string])[]>([])
  const [chosen, setChosen] = useState<string>()
  const [shown, setShown] = useState<Shown>()
  const dialect = chosen ?? dialects[0]?.[0]

  useEffect(() => {
    const left = new AbortController()
    client.dialects({ signal: left.signal }).then(
      (known) => setDialects(known.map(({ id, title }) => [id, title])),
      () => {},
    )
    return () => left.abort()
  }, [client])

  useEffect(() => {
    if (dialect === undefined) return
    const left = new AbortController()
    client.entryIn(session, seq, dialect, { signal: left.signal }).then(
      (answer) => setShown({ dialect, answer }),
      (thrown: unknown) => {
        if (left.signal.aborted) return
        const error = toSluiceError(thrown)
        setShown({ dialect, error })
      },
    )
    return () => left.abort()
  }, [client, session, seq, dialect])

  if (dialect === undefined) return null
  const current = shown?.dialect === dialect ? shown : undefined
  return (
    <>
      <h3 className="entry-title">In each contract</h3>
      <Choice label="Contract" value={dialect} options={dialects} onChange={setChosen} />
      {current === undefined && <p className="note">Loading…</p>}
      {current?.error !== undefined && (
        <Trouble what="It cannot be shown in this contract." error={current.error} />
      )}
      {current?.answer !== undefined && <InDialect answer={current.answer} />}
    </>
  )
}

function InDialect({ answer: { dialect, frames, lost } }: { readonly answer: ToldEntry<JsonObject> }) {
  return (
    <>
      {frames.length === 0 && <p className="note">A client of this contract gets nothing for this entry.</p>}
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
