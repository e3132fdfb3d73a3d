import type { Client, DialectName } from '@sluice/client'
import type { Outcome, SluiceEvent } from '@sluice/protocol'
import type { Io } from './io.ts'
import { printFrames, printText } from './print-session.ts'
import type { ConnectionWatch } from './watch-connection.ts'

/** A text for people, or the frames of a contract, one a line; without one, the entries themselves. */
export type Show = { readonly as: 'text' } | { readonly as: 'ndjson'; readonly dialect?: DialectName }

export interface FollowedSession {
  readonly client: Client
  readonly session: string
  readonly io: Io
  readonly show: Show
  readonly watch: ConnectionWatch
  readonly after?: string
  readonly coalesce?: string
  /** Looks at the events, whatever is shown; answers what to add to a text. */
  heed(events: readonly SluiceEvent[]): string
}

/** Shows a session to its end, and answers its outcome if it came to one. */
export async function followSession(followed: FollowedSession): Promise<Outcome | undefined> {
  const { client, session, io, show, watch, after, coalesce, heed } = followed
  const reading = {
    signal: watch.signal,
    onConnection: watch.onConnection,
    ...(after === undefined ? {} : { after }),
    ...(coalesce === undefined ? {} : { coalesce }),
  }
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

/** Frames of other contracts do not tell everything, so the events are read beside them. */
async function heedBeside(
  { client, session, after, heed }: FollowedSession,
  signal: AbortSignal,
): Promise<void> {
  const place = after === undefined ? {} : { after }
  try {
    for await (const item of client.subscribe(session, { ...place, signal }))
      if (item.type === 'frame') heed(item.frame.events)
  } catch {
    // Whatever it is, the frames fail of it as well.
  }
}
