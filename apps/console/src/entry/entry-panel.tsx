import { useClient } from '@sluice/react'
import { useCallback, useId } from 'react'
import { formatOffset } from '../format/format-offset.ts'
import { formatRoute } from '../router/route.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { JsonView } from '../shell/json-view.tsx'
import { Trouble } from '../shell/trouble.tsx'
import { useAnswer } from '../shell/use-answer.ts'
import { describeEvent } from '../timeline/describe-entry.ts'
import { DialectView } from './dialect-view.tsx'
import { FindingList } from './finding-list.tsx'

interface EntryPanelProps {
  readonly session: string
  readonly seq: number
  readonly head: number
  readonly startedAt: number
  onSelect(seq: number): void
  onClose(): void
}

/** One entry: what it means, what was received, what is wrong with it, and how each dialect expresses it. */
export function EntryPanel({ session, seq, head, startedAt, onSelect, onClose }: EntryPanelProps) {
  const id = useId()
  const link = `${location.origin}${formatRoute({ page: 'session', session, part: 'timeline', seq })}`
  return (
    <section className="entry" aria-labelledby={`${id}-title`}>
      <div className="entry-head">
        <h2 id={`${id}-title`} className="section-title">
          Entry {seq}
        </h2>
        <div className="entry-tools">
          <button
            type="button"
            className="button button-small"
            aria-disabled={seq <= 0}
            onClick={() => seq > 0 && onSelect(seq - 1)}
          >
            Previous
          </button>
          <button
            type="button"
            className="button button-small"
            aria-disabled={seq >= head}
            onClick={() => seq < head && onSelect(seq + 1)}
          >
            Next
          </button>
          <CopyButton getText={() => link} label="Copy link" />
          <button type="button" className="button button-small" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
      {/* Only the content has a key, so the buttons keep the focus. */}
      <EntryContent key={seq} session={session} seq={seq} startedAt={startedAt} />
    </section>
  )
}

function EntryContent({ session, seq, startedAt }: Pick<EntryPanelProps, 'session' | 'seq' | 'startedAt'>) {
  const client = useClient()
  const ask = useCallback(
    (signal: AbortSignal) => client.entry(session, seq, { signal }),
    [client, session, seq],
  )
  const { answer: entry, error } = useAnswer(ask)
  return (
    <>
      {error !== undefined && <Trouble what={`Entry ${seq} cannot be shown.`} error={error} />}
      {entry === undefined && error === undefined && <p className="note">Loading…</p>}
      {entry !== undefined && (
        <>
          <dl className="facts">
            <Fact
              name="Received"
              value={`${new Date(entry.at).toLocaleString()} (${formatOffset(entry.at - startedAt, 100)})`}
            />
            <Fact name="From" value={directions[entry.direction]} />
            <Fact name="Dialect" value={entry.source.dialect} />
            <Fact name="Producer" value={entry.source.producer} />
            <Fact name="Sent by" value={entry.source.subject} />
          </dl>
          <FindingList findings={entry.diagnostics} isClean={entry.clean} />
          <h3 className="entry-title">What it means</h3>
          <ul className="plain-list events">
            {entry.events.map((event, index) => {
              const { label, text } = describeEvent(event)
              return (
                // The events of an entry never change.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                <li key={index}>
                  <strong>{label}</strong> <span dir="auto">{text.slice(0, 500)}</span>
                  {event.meta?.implied === true && <span className="badge">implied</span>}
                  <details>
                    <summary>{event.kind}</summary>
                    <JsonView label={event.kind} value={event} />
                  </details>
                </li>
              )
            })}
          </ul>
          <h3 className="entry-title">As received</h3>
          {entry.raw === undefined ? (
            <p className="note">There is no text of another dialect: this entry was made in the gateway.</p>
          ) : (
            <JsonView label={`Received as ${entry.source.dialect}`} value={entry.raw} />
          )}
          <DialectView session={session} seq={seq} />
        </>
      )}
    </>
  )
}

const directions = {
  event: 'the agent',
  input: 'a person, for the agent',
  system: 'the gateway',
} as const

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  if (value === undefined) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
