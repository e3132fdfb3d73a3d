import { type Encoder, type JsonObject, SluiceError, startCursor } from '@sluice/protocol'
import { aaepPhrasesFor, createAaepEncoder } from '@sluice/protocol/dialects'
import type { Caller } from '../../access/caller.ts'
import type { ViewSpec } from '../../kernel/fan-out/position.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Session } from '../../kernel/sessions/session.ts'
import { targetOf } from '../../kernel/sessions/session-target.ts'
import { sessionsSince } from './covered-sessions.ts'
import { introduce } from './introduce.ts'
import { findAlive, joinPlaces } from './join-places.ts'
import { isSameFilters } from './negotiate-filters.ts'
import { enterPaced } from './pacing/enter-paced.ts'
import { createPacer, type PacerOptions } from './pacing/pacer.ts'
import type { TextCutter } from './pacing/text-cutter.ts'
import type { Place } from './registry-history.ts'
import type { Subscription } from './registry-subscription.ts'
import type { SessionListener, SessionListeners } from './session-listeners.ts'
import { createStream, type Stream, type SubscriptionConnection } from './stream.ts'
import { tailorFrame } from './tailor/tailor-frame.ts'
import type { Terms } from './terms.ts'
import { createTrack, type Track } from './track.ts'

export interface OpenParts {
  readonly kernel: Kernel
  readonly listeners: SessionListeners
  readonly cutter: TextCutter
  readonly subscription: Subscription
  readonly caller: Caller
  readonly connection: SubscriptionConnection
  /** Where to go on; undefined begins where the subscription does. */
  readonly lastEventId: string | undefined
  readonly transport: 'sse' | 'ws' | 'unix'
  onClosed(): void
}

/** A subscription that is being read. */
export interface OpenSubscription {
  readonly stream: Stream
  /** Its terms have changed; resolves when nothing of the former ones is still to be written. */
  renegotiate(): Promise<void>
  /** True when nothing is left to read and nothing will ever come. */
  readonly isOver: boolean
}

/** Begins to send a subscription to its connection. Rejects as reading the log does. */
export async function openSubscription(parts: OpenParts): Promise<OpenSubscription> {
  const { kernel, listeners, subscription, caller } = parts
  const { sessions } = subscription
  const isSingle = sessions?.length === 1
  /** Sessions that are to be joined and have no entry yet. */
  const awaited = new Set<string>()
  const joining = new Set<string>()
  let pacing = pacingOf(parts, subscription.terms)

  const delivered = kernel.deliveries.of(parts.transport, 'aaep')
  const stream = createStream({
    clock: kernel.clock,
    connection: parts.connection,
    maxEventsPerSecond: subscription.terms.maxEventsPerSecond,
    // The id of an event tells where its own session stands, not where the others do.
    journal: isSingle ? undefined : (events) => subscription.journal(events),
    isComplete: () => sessions !== undefined && awaited.size === 0 && joining.size === 0,
    defer: setImmediate,
    onSent: delivered.add,
    onClosed: () => {
      unlisten()
      parts.onClosed()
    },
  })

  /** A session is no more. Who named it is sent away, comes back, and is told so. */
  const forget = (id: string): void => {
    if (sessions !== undefined) stream.reset()
    stream.remove(id)
    stream.pump()
  }

  const join = async (session: Session, { introduced, ...cursor }: Place): Promise<void> => {
    const { id } = session
    const isRead = session.isEnded && cursor.units === undefined && cursor.seq >= session.lastSeq
    if (isRead) return
    joining.add(id)
    try {
      const found = await enterPaced(pacing.spec, session, cursor)
      const entered = found ?? (await enterPaced(pacing.spec, session, { seq: session.lastSeq }))
      if (entered === undefined) return
      const sent = found === undefined ? 0 : introduced
      const { spec, tailor, terms } = pacing
      const first =
        sent === undefined
          ? []
          : introduce({
              state: await session.stateAt(entered.cursor.seq),
              encoder: spec.encoder,
              sent,
              filters: terms.filters,
              tailor,
            })
      const pacer = createPacer(entered, pacing)
      if (entered.rest !== undefined) pacer.add(entered.rest.entry, entered.rest.from)
      const reader = { reset: () => forget(id) }
      session.readers.add(reader)
      stream.add(
        createTrack({
          session,
          pacer,
          first,
          place: sent === undefined ? entered.cursor : { ...entered.cursor, introduced: sent },
          sliceBytes: kernel.config.limits.sliceBytes,
          onMore: () => stream.wake(id),
          onFailed: (error) => (isDeleted(error) ? forget(id) : stream.reset()),
          onClosed: () => session.readers.delete(reader),
        }),
      )
    } finally {
      joining.delete(id)
    }
    stream.pump()
  }

  const canRead = (session: Session): boolean => caller.can('subscribe', targetOf(session))

  /** A session that this stream has not read before has entries from `seq` on. */
  const meet = async (id: string, seq: number): Promise<void> => {
    joining.add(id)
    try {
      const session = await findAlive(kernel, id)
      if (session === undefined || session === 'deleted' || !canRead(session)) return
      const isNew = awaited.delete(id) || (session.head?.createdAt ?? 0) >= subscription.createdAt
      await join(session, isNew || seq === 0 ? startCursor : { seq: seq - 1, introduced: 0 })
    } finally {
      joining.delete(id)
    }
  }

  /** Sessions that had entries while this stream was opened, and the first of these. */
  const heard = new Map<string, number>()
  let isOpening = true
  const listener: SessionListener = (id, entries) => {
    const [entry] = entries
    if (stream.track(id) !== undefined) stream.accept(id, entries)
    else if (entry === undefined || joining.has(id)) return
    else if (isOpening) heard.set(id, heard.get(id) ?? entry.seq)
    else if (sessions === undefined || awaited.has(id)) meet(id, entry.seq).catch(stream.reset)
  }
  const unlisteners =
    sessions === undefined
      ? [listeners.listen(listener)]
      : sessions.map((id) => listeners.listenTo(id, listener))
  const unlisten = (): void => {
    for (const each of unlisteners) each()
  }

  try {
    const places = await joinPlaces(kernel, subscription, parts.lastEventId)
    for (const id of sessions ?? places.keys()) {
      const session = await findAlive(kernel, id)
      if (session === 'deleted') continue
      // What the credential reached when the subscription was made it need not reach now.
      if (session !== undefined && canRead(session)) await join(session, places.get(id) ?? startCursor)
      else if (sessions !== undefined) awaited.add(id)
    }
    if (sessions === undefined)
      for await (const session of sessionsSince(kernel.log, kernel.directory, caller, subscription.createdAt))
        if (stream.track(session.id) === undefined && !places.has(session.id))
          await join(session, startCursor)
    isOpening = false
    for (const [id, seq] of heard)
      if (stream.track(id) === undefined && (sessions === undefined || awaited.has(id))) await meet(id, seq)
  } catch (error) {
    stream.close()
    throw error
  }

  /** Reads on where a track stands, with what other filters hid there. */
  const rejoin = async (track: Track): Promise<void> => {
    const { id } = track.session
    const { place } = track
    joining.add(id)
    stream.remove(id)
    try {
      const session = await findAlive(kernel, id)
      if (session !== undefined && session !== 'deleted') await join(session, place)
    } finally {
      joining.delete(id)
    }
    stream.pump()
  }

  const renegotiate = async (): Promise<void> => {
    const { filters } = pacing.terms
    pacing = pacingOf(parts, subscription.terms)
    const tracks = [...stream.tracks()]
    const isSame = isSameFilters(filters, pacing.terms.filters)
    // What is left of an introduction was said in the former language.
    const stays = (track: Track): boolean => isSame && track.place.introduced === undefined
    for (const track of tracks.filter(stays)) track.renegotiate(pacing)
    const rejoined = tracks.filter((track) => !stays(track)).map(rejoin)
    stream.setRate(subscription.terms.maxEventsPerSecond)
    await Promise.all(rejoined).catch(stream.reset)
    await stream.settled()
  }
  // The terms may have changed while it was opened.
  if (pacing.terms !== subscription.terms) await renegotiate()

  return {
    stream,
    renegotiate,
    get isOver() {
      return (
        sessions !== undefined && awaited.size === 0 && [...stream.tracks()].every(({ isDone }) => isDone)
      )
    },
  }
}

function isDeleted(error: unknown): boolean {
  return error instanceof SluiceError && error.code === 'session_deleted'
}

function pacingOf(
  { cutter, subscription: { sessions } }: OpenParts,
  terms: Terms,
): PacerOptions & { readonly spec: ViewSpec } {
  const { verbosity, languages } = terms
  const encoder = createAaepEncoder(aaepPhrasesFor(languages)) as Encoder<unknown> // its state is its own
  return {
    terms,
    cutter,
    mintsIds: sessions?.length !== 1,
    spec: { key: '', dialect: 'aaep', encoder, coalescing: undefined },
    tailor: (frame: JsonObject) => tailorFrame(frame, { verbosity, languages }),
  }
}
