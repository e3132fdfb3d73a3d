import type { Client, DialectName } from '@sluice/client'
import { type Outcome, omitUndefined, type SluiceEvent } from '@sluice/protocol'
import type { Io } from './io.ts'
import { printFrames, printText } from './print-session.ts'
import type { ConnectionWatch } from './watch-connection.ts'

/** A text for people, or the frames of a dialect, one per line; without a dialect, the entries themselves. */
export type Show = { readonly as: 'text' } | { readonly as: 'ndjson'; readonly dialect?: DialectName }

export interface FollowedSession {
  readonly client: Client
  readonly session: string
  readonly io: Io
  readonly show: Show
  readonly watch: ConnectionWatch
  readonly after?: string
  readonly coalesce?: string
  /** Receives all events, whatever is shown. Returns what to add to a text. */
  heed(events: readonly SluiceEvent[]): string
}

/** Shows a session to its end. Returns its outcome, if it has one. */
export async function followSession(followed: FollowedSession): Promise<Outcome | undefined> {
  const { client, session, io, show, watch, after, coalesce, heed } = followed
  const reading = omitUndefined({
    signal: watch.signal,
    onConnection: watch.onConnection,
    after,
    coalesce,
  })
  if (show.as === 'text') return printText(client.subscribe(session, reading), io, heed)
  if (show.dialect === undefined)
    return printFrames(client.subscribe(session, reading), io, ({ events }) => heed(events))
  const over = new AbortController()
  const beside = heedBeside(followed, AbortSignal.any([watch.signal, over.signal]))
  try {
    return await printFrames(client.subscribe(session, { ...reading, dialect: show.dialect }), io)
  } finally {
    over.abort()
    await beside
  }
}

/** Frames of other dialects do not carry everything, so this reads the events in parallel. */
async function heedBeside(
  { client, session, after, heed }: FollowedSession,
  signal: AbortSignal,
): Promise<void> {
  const place = omitUndefined({ after })
  try {
    for await (const item of client.subscribe(session, { ...place, signal }))
      if (item.type === 'frame') heed(item.frame.events)
  } catch {
    // Reading the frames fails with the same error.
  }
}
