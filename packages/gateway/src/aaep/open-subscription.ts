import { type Cursor, type Encoder, type Entry, type JsonObject, startCursor } from '@sluice/protocol'
import { aaepPhrasesFor, createAaepEncoder } from '@sluice/protocol/dialects'
import type { Caller } from '../auth/caller.ts'
import type { ViewSpec } from '../fan-out/position.ts'
import { type Gate, targetOf } from '../gate.ts'
import type { Session } from '../sessions/session.ts'
import { sessionsSince } from './covered-sessions.ts'
import { type FoundEvent, findEvent } from './find-event.ts'
import { introduce } from './introduce.ts'
import { enterPaced } from './pacing/enter-paced.ts'
import { createPacer, type PacerOptions } from './pacing/pacer.ts'
import type { TextCutter } from './pacing/text-cutter.ts'
import type { Subscription } from './registry-subscription.ts'
import { createStream, type Sink, type Stream } from './stream.ts'
import { tailorFrame } from './tailor/tailor-frame.ts'
import type { Taps } from './taps.ts'
import type { Terms } from './terms.ts'
import { createTrack } from './track.ts'

export interface OpenParts {
  readonly gate: Gate
  readonly taps: Taps
  readonly cutter: TextCutter
  readonly subscription: Subscription
  readonly caller: Caller
  readonly sink: Sink
  /** Where to go on; undefined begins where the subscription does. */
  readonly lastEventId: string | undefined
  readonly transport: 'sse' | 'ws'
  onClosed(): void
}

/** A subscription that is being read. */
export interface OpenSubscription {
  readonly stream: Stream
  /** Its terms have changed. */
  renegotiate(): void
  /** True when nothing is left to read and nothing will ever come. */
  readonly isOver: boolean
}

/** Where a session is joined: behind an event, or as it stands there with an introduction. */
interface JoinPlace extends FoundEvent {
  readonly isIntroduced: boolean
}

const fromStart: JoinPlace = { cursor: startCursor, isIntroduced: false }

/** Begins to send a subscription to its connection. Rejects as reading the log does. */
export async function openSubscription(parts: OpenParts): Promise<OpenSubscription> {
  const { gate, taps, subscription, caller } = parts
  const { sessions } = subscription
  const isSingle = sessions?.length === 1
  /** Sessions that are to be joined and have no entry yet. */
  const awaited = new Set<string>()
  const joining = new Set<string>()
  let pacing = pacingOf(parts, subscription.terms)

  const delivered = gate.deliveries.of(parts.transport, 'aaep')
  const stream = createStream({
    clock: gate.clock,
    sink: parts.sink,
    maxEventsPerSecond: subscription.terms.maxEventsPerSecond,
    // The id of an event tells where its own session stands, not where the others do.
    journal: isSingle ? undefined : (events) => subscription.journal(events),
    isComplete: () => sessions !== undefined && awaited.size === 0 && joining.size === 0,
    onSent: delivered.add,
    onClosed: () => {
      unlisten()
      parts.onClosed()
    },
  })

  const join = async (session: Session, place: JoinPlace): Promise<void> => {
    joining.add(session.id)
    try {
      const entered =
        (await enterPaced(pacing.spec, session, place.cursor)) ??
        (await enterPaced(pacing.spec, session, { seq: session.lastSeq }))
      if (entered === undefined) return
      const { seq } = entered.cursor
      const first = place.isIntroduced
        ? introduce({
            state: await session.stateAt(seq),
            encoder: pacing.spec.encoder,
            told: place.told,
            tailor: pacing.tailor,
          })
        : []
      const pacer = createPacer(entered, pacing)
      if (entered.rest !== undefined) pacer.add(entered.rest.entry, entered.rest.from)
      stream.add(
        createTrack({
          session,
          pacer,
          first,
          sliceBytes: gate.config.limits.sliceBytes,
          onMore: stream.pump,
          onFailed: stream.reset,
        }),
      )
    } finally {
      joining.delete(session.id)
    }
    stream.pump()
  }

  /** A session that this stream has not read before has entries. */
  const meet = async (id: string, entries: readonly Entry[]): Promise<void> => {
    joining.add(id)
    try {
      const session = await gate.directory.find(id)
      if (session === undefined || !caller.can('subscribe', targetOf(session))) return
      const first = entries[0]?.seq ?? 0
      const isNew = awaited.delete(id) || (session.head?.createdAt ?? 0) >= subscription.createdAt
      await join(session, isNew ? fromStart : { cursor: { seq: first - 1 }, isIntroduced: true })
    } finally {
      joining.delete(id)
    }
  }

  const hear = (id: string, entries: readonly Entry[]): void => {
    if (stream.track(id) !== undefined) stream.accept(id, entries)
    else if (!joining.has(id) && (sessions === undefined || awaited.has(id)))
      meet(id, entries).catch(stream.reset)
  }
  const unlisteners =
    sessions === undefined ? [taps.listen(hear)] : sessions.map((id) => taps.listenTo(id, hear))
  const unlisten = (): void => {
    for (const each of unlisteners) each()
  }

  try {
    const places = await placesOf(parts)
    for (const id of sessions ?? places.keys()) {
      const session = await gate.directory.find(id).catch(() => undefined)
      if (session === undefined) {
        if (sessions !== undefined) awaited.add(id)
      } else await join(session, places.get(id) ?? firstPlace(subscription, session))
    }
    if (sessions === undefined)
      for await (const session of sessionsSince(gate.log, gate.directory, caller, subscription.createdAt))
        if (stream.track(session.id) === undefined && !places.has(session.id)) await join(session, fromStart)
  } catch (error) {
    stream.close()
    throw error
  }

  return {
    stream,
    renegotiate() {
      pacing = pacingOf(parts, subscription.terms)
      for (const track of stream.tracks()) track.renegotiate(pacing)
      stream.setRate(subscription.terms.maxEventsPerSecond)
    },
    get isOver() {
      return (
        sessions !== undefined && awaited.size === 0 && [...stream.tracks()].every(({ isDone }) => isDone)
      )
    },
  }
}

function firstPlace({ after }: Subscription, { lastSeq }: Session): JoinPlace {
  return after === 'start' ? fromStart : { cursor: { seq: lastSeq }, isIntroduced: true }
}

/** Where each session is joined, as far as that is not where the subscription begins. */
async function placesOf({
  gate,
  subscription,
  lastEventId,
}: OpenParts): Promise<ReadonlyMap<string, JoinPlace>> {
  const { sessions } = subscription
  if (lastEventId === undefined) {
    const places = await subscription.places()
    return mapValues(places ?? new Map(), (cursor) => ({ cursor, isIntroduced: true }))
  }
  const only = sessions?.length === 1 ? sessions[0] : undefined
  if (only !== undefined) {
    const session = await gate.directory.find(only)
    if (session === undefined) return new Map()
    const found = await findEvent(session, lastEventId)
    const place = found ?? { cursor: { seq: session.lastSeq } }
    return new Map([[only, { ...place, isIntroduced: found === undefined || place.told !== undefined }]])
  }
  const places = await subscription.rewind(lastEventId)
  if (places !== undefined) return mapValues(places, (cursor) => ({ cursor, isIntroduced: false }))
  // Aged out: every session is told as it stands.
  const known = await subscription.places()
  const standing = new Map<string, Cursor>()
  for (const id of sessions ?? known?.keys() ?? []) {
    const session = await gate.directory.find(id).catch(() => undefined)
    if (session !== undefined) standing.set(id, { seq: session.lastSeq })
  }
  await subscription.restart(standing)
  return mapValues(standing, (cursor) => ({ cursor, isIntroduced: true }))
}

function mapValues<A, B>(map: ReadonlyMap<string, A>, to: (value: A) => B): ReadonlyMap<string, B> {
  return new Map([...map].map(([key, value]) => [key, to(value)]))
}

function pacingOf({ cutter }: OpenParts, terms: Terms): PacerOptions & { readonly spec: ViewSpec } {
  const { verbosity, languages } = terms
  const encoder = createAaepEncoder(aaepPhrasesFor(languages)) as Encoder<unknown> // its state is its own
  return {
    terms,
    cutter,
    spec: { key: '', dialect: 'aaep', encoder, coalescing: undefined },
    tailor: (frame: JsonObject) => tailorFrame(frame, { verbosity, languages }),
  }
}
