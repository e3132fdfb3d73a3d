import type { Clock, Entry, Timer } from '@sluice/protocol'
import type { ConnectedReader } from '../../kernel/fan-out/subscribers.ts'
import type { PacedSession } from './paced-session.ts'
import { type Bucket, createBucket, readyAt, take, withRate } from './pacing/bucket.ts'
import type { Emission } from './registry-history.ts'
import { createStreamSessions } from './stream-sessions.ts'

/** An event that is sent to a subscriber. */
export interface SentEvent extends Emission {
  readonly data: string
}

/** The connection of a subscription. */
export interface SubscriptionConnection {
  /** Writes events; false if the caller must wait until `drained()` is called. */
  write(events: readonly SentEvent[]): boolean
  /** Shows that the connection is alive. */
  heartbeat(): void
  /** Nothing will ever follow. */
  finish(): void
  /** Something failed; the subscriber reconnects. */
  reset(): void
}

export interface StreamParts {
  readonly clock: Clock
  readonly connection: SubscriptionConnection
  readonly maxEventsPerSecond: number | undefined
  /** Makes events durable before they are sent; undefined if their ids alone suffice for resuming. */
  readonly journal: ((events: readonly Emission[]) => Promise<void>) | undefined
  /** Whether no other session can be added. */
  readonly isComplete: () => boolean
  /** Defers work until the readers that share a view were served; without it, work runs immediately. */
  readonly defer?: (work: () => void) => void
  readonly onSent: (events: number, bytes: number) => void
  readonly onClosed: () => void
}

/** A subscription on its connection: sends the events of all its sessions within one rate. */
export interface Stream extends ConnectedReader {
  start(): void
  add(paced: PacedSession): void
  remove(session: string): void
  has(session: string): boolean
  sessions(): Iterable<PacedSession>
  /** Takes new entries of a session. */
  accept(session: string, entries: readonly Entry[]): void
  setRate(maxEventsPerSecond: number | undefined): void
  /** A session has read more of its log. */
  wake(session: string): void
  /** Sends what can be sent. */
  pump(): void
  /** Resolves when the events that are being made durable are written. */
  settled(): Promise<void>
  /** The connection can be written to again. */
  drained(): void
  readonly isStalled: boolean
  close(): void
  /** Closes the stream and resets its connection. */
  reset(): void
}

/** While events are being made durable (`journaling`), nothing else is sent. */
type Phase = 'new' | 'running' | 'journaling' | 'closed'

const maxBatchEvents = 64
const maxBatchCharacters = 64 * 1024

export function createStream(parts: StreamParts): Stream {
  const { clock, connection, journal, defer = (work) => work() } = parts
  const sessions = createStreamSessions()
  let phase: Phase = 'new'
  let sending: Promise<void> = Promise.resolve()
  let bucket: Bucket = createBucket(parts.maxEventsPerSecond, clock.monotonic())
  let timer: Timer | undefined
  let isDeferred = false
  let stalledSince: number | undefined
  let lastSentAt = clock.monotonic()

  const isClosed = (): boolean => phase === 'closed'

  const close = (): void => {
    if (isClosed()) return
    phase = 'closed'
    timer?.clear()
    for (const paced of [...sessions.values()]) sessions.remove(paced)
    parts.onClosed()
  }

  const reset = (): void => {
    if (isClosed()) return
    close()
    connection.reset()
  }

  /** Takes a batch of events that can be sent, and the time when the next can be. */
  const gather = (): { readonly events: readonly SentEvent[]; readonly until: number } => {
    const events: SentEvent[] = []
    let characters = 0
    while (events.length < maxBatchEvents && characters < maxBatchCharacters) {
      const now = clock.monotonic()
      const next = sessions.next(now, readyAt(bucket, now))
      if (typeof next === 'number') return { events, until: next }
      const { session, frame } = next
      if (!frame.isFree) bucket = take(bucket, now)
      events.push({ id: frame.id, session, cursor: frame.cursor, data: frame.data })
      characters += frame.data.length
    }
    return { events, until: Number.NEGATIVE_INFINITY }
  }

  const write = (events: readonly SentEvent[]): void => {
    lastSentAt = clock.monotonic()
    if (!connection.write(events)) stalledSince ??= lastSentAt
    parts.onSent(
      events.length,
      events.reduce((sum, { data }) => sum + data.length, 0),
    )
  }

  const sendDurable = async (
    events: readonly SentEvent[],
    makeDurable: NonNullable<StreamParts['journal']>,
  ): Promise<void> => {
    await makeDurable(events)
    if (!isClosed()) write(events)
  }

  const pump = (): void => {
    while (phase === 'running' && stalledSince === undefined) {
      timer?.clear()
      timer = undefined
      const { events, until } = gather()
      if (events.length > 0 && journal !== undefined) {
        phase = 'journaling'
        sending = sendDurable(events, journal).then(
          () => {
            if (isClosed()) return
            phase = 'running'
            pump()
          },
          // Events that could not be made durable were not sent; the subscriber gets them when it reconnects.
          reset,
        )
        return
      }
      if (events.length > 0) write(events)
      if (sessions.size === 0 && parts.isComplete()) {
        close()
        connection.finish()
        return
      }
      if (until > clock.monotonic()) {
        if (until < Number.POSITIVE_INFINITY)
          timer = clock.after(Math.max(1, until - clock.monotonic()), pump)
        return
      }
    }
  }

  return {
    start() {
      if (phase === 'new') phase = 'running'
      pump()
    },
    add(paced) {
      if (isClosed()) paced.close()
      else sessions.add(paced)
    },
    remove(session) {
      const paced = sessions.get(session)
      if (paced !== undefined) sessions.remove(paced)
    },
    has: (session) => sessions.get(session) !== undefined,
    sessions: sessions.values,
    accept(session, entries) {
      const paced = sessions.get(session)
      if (paced === undefined || isClosed()) return
      // Nothing is kept for a connection that does not accept data.
      if (stalledSince === undefined) paced.accept(entries)
      else paced.scan(entries)
      sessions.wake(paced)
      if (isDeferred) return
      isDeferred = true
      defer(() => {
        isDeferred = false
        pump()
      })
    },
    setRate(maxEventsPerSecond) {
      bucket = withRate(bucket, maxEventsPerSecond, clock.monotonic())
      sessions.wakeAll()
      pump()
    },
    wake(session) {
      const paced = sessions.get(session)
      if (paced !== undefined) sessions.wake(paced)
      pump()
    },
    pump,
    settled: () => sending,
    drained() {
      stalledSince = undefined
      pump()
    },
    get isStalled() {
      return stalledSince !== undefined
    },
    get stalledSince() {
      return stalledSince
    },
    get lag() {
      let lag = 0
      for (const paced of sessions.values()) lag = Math.max(lag, paced.lag)
      return lag
    },
    close,
    reset,
    beat(before) {
      if (isClosed() || stalledSince !== undefined || lastSentAt > before) return
      lastSentAt = clock.monotonic()
      connection.heartbeat()
    },
  }
}
