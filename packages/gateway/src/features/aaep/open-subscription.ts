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
import { createPacedSession, type PacedSession } from './paced-session.ts'
import { addEntry } from './pacing/add-entry.ts'
import { enterPaced } from './pacing/enter-paced.ts'
import { type PacerOptions, placeOf, startPacing } from './pacing/pacer.ts'
import type { TextCutter } from './pacing/text-cutter.ts'
import type { Place } from './registry-history.ts'
import type { Subscription } from './registry-subscription.ts'
import type { SessionListener, SessionListeners } from './session-listeners.ts'
import { createStream, type Stream, type SubscriptionConnection } from './stream.ts'
import { tailorFrame } from './tailor/tailor-frame.ts'
import type { Terms } from './terms.ts'

/** A connection that opens a subscription. */
export interface OpeningConnection {
  readonly connection: SubscriptionConnection
  /** The event to resume after; undefined starts where the subscription does. */
  readonly lastEventId: string | undefined
  readonly transport: 'sse' | 'ws' | 'unix'
}

export interface OpenParts extends OpeningConnection {
  readonly kernel: Kernel
  readonly listeners: SessionListeners
  readonly cutter: TextCutter
  readonly subscription: Subscription
  readonly caller: Caller
  onClosed(): void
}

/** A subscription with a connection. */
export interface OpenSubscription {
  readonly stream: Stream
  /** Applies changed terms; resolves when every event under the former terms is sent. */
  renegotiate(): Promise<void>
  /** Whether everything was sent and nothing can follow. */
  readonly isOver: boolean
}

/** Joins the sessions of a subscription; `stream.start()` starts sending. Rejects if the log cannot be read. */
export async function openSubscription(parts: OpenParts): Promise<OpenSubscription> {
  const { kernel, listeners, subscription, caller } = parts
  const { sessions } = subscription
  const isSingle = sessions?.length === 1
  /** Named sessions that have no entry yet. */
  const awaited = new Set<string>()
  const joining = new Set<string>()
  let pacing = pacingOf(parts, subscription.terms)

  const delivered = kernel.deliveries.of(parts.transport, 'aaep')
  const stream = createStream({
    clock: kernel.clock,
    connection: parts.connection,
    maxEventsPerSecond: subscription.terms.maxEventsPerSecond,
    // An event id contains the place in its own session, but not in the others.
    journal: isSingle ? undefined : (events) => subscription.journal(events),
    isComplete: () => sessions !== undefined && awaited.size === 0 && joining.size === 0,
    defer: setImmediate,
    onSent: delivered.add,
    onClosed: () => {
      unlisten()
      parts.onClosed()
    },
  })

  /**
   * Handles the deletion of a session. A subscriber that named it is disconnected, and learns of it on
   * reconnecting.
   */
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
      const introduction =
        sent === undefined
          ? undefined
          : {
              frames: introduce({
                state: await session.stateAt(entered.cursor.seq),
                encoder: spec.encoder,
                sent,
                filters: terms.filters,
                tailor,
              }),
              place: { ...entered.cursor, introduced: sent },
            }
      const { rest } = entered
      const started = startPacing(entered, pacing, introduction)
      const reader = { reset: () => forget(id) }
      session.readers.add(reader)
      stream.add(
        createPacedSession({
          session,
          pacer: rest === undefined ? started : addEntry(started, rest.entry, rest.part),
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

  /** Joins a session that this stream has not read before and that has entries from `seq` onwards. */
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

  /** The first entry that each session received while this stream was being opened. */
  const heard = new Map<string, number>()
  let isOpening = true
  const listener: SessionListener = (id, entries) => {
    const [entry] = entries
    if (stream.has(id)) stream.accept(id, entries)
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
      // The credential may have lost access since the subscription was created.
      if (session !== undefined && canRead(session)) await join(session, places.get(id) ?? startCursor)
      else if (sessions !== undefined) awaited.add(id)
    }
    if (sessions === undefined)
      for await (const session of sessionsSince(kernel, caller, {
        since: subscription.createdAt,
      }))
        if (!stream.has(session.id) && !places.has(session.id)) await join(session, startCursor)
    isOpening = false
    for (const [id, seq] of heard)
      if (!stream.has(id) && (sessions === undefined || awaited.has(id))) await meet(id, seq)
  } catch (error) {
    stream.close()
    throw error
  }

  /** Joins a session again at its current place, to read events that the former filters hid. */
  const rejoin = async (paced: PacedSession): Promise<void> => {
    const { id } = paced.session
    const place = placeOf(paced.pacer)
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
    const all = [...stream.sessions()]
    const isSame = isSameFilters(filters, pacing.terms.filters)
    // The rest of an introduction is in the former language.
    const stays = ({ pacer }: PacedSession): boolean => isSame && pacer.output.introduction === undefined
    for (const paced of all.filter(stays)) paced.renegotiate(pacing)
    const rejoined = all.filter((paced) => !stays(paced)).map(rejoin)
    stream.setRate(subscription.terms.maxEventsPerSecond)
    await Promise.all(rejoined).catch(stream.reset)
    await stream.settled()
  }
  // The terms may have changed in the meantime.
  if (pacing.terms !== subscription.terms) await renegotiate()

  return {
    stream,
    renegotiate,
    get isOver() {
      return (
        sessions !== undefined && awaited.size === 0 && [...stream.sessions()].every(({ isDone }) => isDone)
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
  const encoder = createAaepEncoder(aaepPhrasesFor(languages)) as Encoder<unknown> // its state stays opaque
  return {
    terms,
    cutter,
    mintsIds: sessions?.length !== 1,
    spec: { key: '', dialect: 'aaep', encoder, coalescing: undefined },
    tailor: (frame: JsonObject) => tailorFrame(frame, { verbosity, languages }),
  }
}
