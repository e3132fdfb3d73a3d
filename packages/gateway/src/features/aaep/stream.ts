import { type Clock, type Entry, formatCursor, type Timer } from '@sluice/protocol'
import type { Subscriber } from '../../kernel/fan-out/subscriber.ts'
import { type Bucket, createBucket, readyAt, take, withRate } from './pacing/bucket.ts'
import type { PacedFrame } from './pacing/paced-frame.ts'
import type { Emission } from './registry-history.ts'
import type { Track } from './track.ts'

/** One event on its way to a subscriber. */
export interface SentEvent extends Emission {
  readonly data: string
}

/** The connection of a subscription. */
export interface SubscriptionConnection {
  /** Writes events; false when no more may be written until `drained` is called. */
  write(events: readonly SentEvent[]): boolean
  /** Tells that the connection lives. */
  heartbeat(): void
  /** Nothing will ever follow. */
  finish(): void
  /** Something broke; the subscriber comes back. */
  reset(): void
}

export interface StreamParts {
  readonly clock: Clock
  readonly connection: SubscriptionConnection
  readonly maxEventsPerSecond: number | undefined
  /** Makes events durable before they are sent; undefined when their ids tell enough. */
  readonly journal: ((events: readonly Emission[]) => Promise<void>) | undefined
  /** True when no other session can come. */
  readonly isComplete: () => boolean
  /** Puts work off until those who share a view were served; without it work is done at once. */
  readonly defer?: (work: () => void) => void
  readonly onSent: (events: number, bytes: number) => void
  readonly onClosed: () => void
}

/** A subscription on its connection: all its sessions within one rate. */
export interface Stream extends Subscriber {
  add(track: Track): void
  remove(session: string): void
  track(session: string): Track | undefined
  accept(session: string, entries: readonly Entry[]): void
  setRate(maxEventsPerSecond: number | undefined): void
  tracks(): Iterable<Track>
  /** There is more to look at in a session. */
  wake(session: string): void
  pump(): void
  /** Resolves when what was gathered has been written. */
  settled(): Promise<void>
  reset(): void
}

const maxBatchEvents = 64
const maxBatchCharacters = 64 * 1024

export function createStream(parts: StreamParts): Stream {
  const { clock, connection } = parts
  const tracks = new Map<string, Track>()
  /** Those that may have something, the one whose turn it is first. */
  const pending = new Set<Track>()
  /** Until when there is no use in looking at a track again, unless something happens to it. */
  const restingUntil = new Map<Track, number>()
  let bucket: Bucket = createBucket(parts.maxEventsPerSecond, clock.now())
  let timer: Timer | undefined
  const defer = parts.defer ?? ((work) => work())
  let isDeferred = false
  let isStarted = false
  let isBusy = false
  let sending: Promise<void> = Promise.resolve()
  let isClosed = false
  let stalledSince: number | undefined
  let lastSentAt = clock.now()
  let last = ''

  const drop = (track: Track): void => {
    tracks.delete(track.session.id)
    pending.delete(track)
    restingUntil.delete(track)
    track.close()
  }

  const wake = (track: Track): void => {
    pending.add(track)
    restingUntil.delete(track)
  }

  const close = (): void => {
    if (isClosed) return
    isClosed = true
    timer?.clear()
    for (const track of [...tracks.values()]) drop(track)
    parts.onClosed()
  }

  const reset = (): void => {
    if (isClosed) return
    close()
    connection.reset()
  }

  /** The next event that may leave; otherwise when to look again. */
  const pick = (now: number): { readonly track: Track; readonly frame: PacedFrame } | number => {
    const nextAt = readyAt(bucket, now)
    let until = Number.POSITIVE_INFINITY
    const awake: Track[] = []
    const urgent: Track[] = []
    for (const track of pending) {
      const rests = restingUntil.get(track)
      if (rests === undefined || rests <= now) (track.hasCritical ? urgent : awake).push(track)
      else until = Math.min(until, rests)
    }
    for (const track of [...urgent, ...awake]) {
      const step = track.next(now, nextAt <= now)
      if (step.type === 'emit') {
        pending.delete(track)
        wake(track)
        return { track, frame: step.frame }
      }
      const rests = step.type === 'full' ? nextAt : step.until
      restingUntil.set(track, rests)
      until = Math.min(until, rests)
      track.fill()
      if (track.isDone) drop(track)
      else if (track.isIdle) pending.delete(track)
    }
    return until
  }

  const gather = (): { readonly events: readonly SentEvent[]; readonly until: number } => {
    const events: SentEvent[] = []
    let characters = 0
    while (events.length < maxBatchEvents && characters < maxBatchCharacters) {
      const now = clock.now()
      const picked = pick(now)
      if (typeof picked === 'number') return { events, until: picked }
      const { track, frame } = picked
      if (!frame.isFree) bucket = take(bucket, now)
      events.push({ id: frame.id, session: track.session.id, cursor: frame.cursor, data: frame.data })
      characters += frame.data.length
    }
    return { events, until: Number.NEGATIVE_INFINITY }
  }

  const write = (events: readonly SentEvent[]): void => {
    if (isClosed) return
    lastSentAt = clock.now()
    last = events.at(-1)?.id ?? last
    if (!connection.write(events)) stalledSince ??= lastSentAt
    parts.onSent(
      events.length,
      events.reduce((sum, { data }) => sum + data.length, 0),
    )
  }

  const send = async (events: readonly SentEvent[]): Promise<void> => {
    await parts.journal?.(events)
    write(events)
  }

  const pump = (): void => {
    while (isStarted && !isBusy && !isClosed && stalledSince === undefined) {
      timer?.clear()
      timer = undefined
      const { events, until } = gather()
      if (events.length > 0 && parts.journal !== undefined) {
        isBusy = true
        sending = send(events).then(
          () => {
            isBusy = false
            pump()
          },
          // What could not be kept was not sent: the subscriber comes back when it can be.
          reset,
        )
        return
      }
      if (events.length > 0) write(events)
      if (tracks.size === 0 && parts.isComplete()) {
        close()
        connection.finish()
        return
      }
      if (until > clock.now()) {
        if (until < Number.POSITIVE_INFINITY) timer = clock.after(Math.max(1, until - clock.now()), pump)
        return
      }
    }
  }

  return {
    add(track) {
      if (isClosed) {
        track.close()
        return
      }
      tracks.set(track.session.id, track)
      pending.add(track)
    },
    remove(session) {
      const track = tracks.get(session)
      if (track !== undefined) drop(track)
    },
    wake(session) {
      const track = tracks.get(session)
      if (track !== undefined) wake(track)
      pump()
    },
    settled: () => sending,
    track: (session) => tracks.get(session),
    tracks: () => tracks.values(),
    accept(session, entries) {
      const track = tracks.get(session)
      if (track === undefined || isClosed) return
      track.accept(entries, stalledSince !== undefined)
      wake(track)
      if (isDeferred) return
      isDeferred = true
      defer(() => {
        isDeferred = false
        pump()
      })
    },
    setRate(maxEventsPerSecond) {
      bucket = withRate(bucket, maxEventsPerSecond, clock.now())
      restingUntil.clear()
      pump()
    },
    pump,
    start() {
      isStarted = true
      pump()
    },
    reset,
    close,
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
      for (const track of tracks.values()) lag = Math.max(lag, track.lag)
      return lag
    },
    get cursor() {
      return last === '' ? formatCursor({ seq: -1 }) : last
    },
    trim() {},
    beat(before) {
      if (isClosed || stalledSince !== undefined || lastSentAt > before) return
      lastSentAt = clock.now()
      connection.heartbeat()
    },
  }
}
