import { type Entry, SluiceError } from '@sluice/protocol'
import type { Session } from '../../kernel/sessions/session.ts'
import { isUrgent } from './pacing/item.ts'
import type { PacedFrame } from './pacing/paced-frame.ts'
import type { Pacer, PacerOptions, PaceStep } from './pacing/pacer.ts'
import type { Place } from './registry-history.ts'

/** What a track needs of its session. */
export type TrackedSession = Pick<Session, 'id' | 'lastSeq' | 'isEnded' | 'read'>

/** One session of a stream: what was taken in of it, and what is still in the log. */
export interface Track {
  readonly session: TrackedSession
  /** New entries, in order. While `isPaused` nothing is kept of them but that one is urgent. */
  accept(entries: readonly Entry[], isPaused: boolean): void
  next(now: number, isReady: boolean): PaceStep
  /** Reads on in the log if there is room; calls `onMore` when there is more to look at. */
  fill(): void
  readonly hasCritical: boolean
  /** How many entries are still in the log. */
  readonly lag: number
  /** Nothing waits, here or in the log. */
  readonly isIdle: boolean
  /** Everything that there will ever be has left. */
  readonly isDone: boolean
  /** Where a reader stands who has everything that left. */
  readonly place: Place
  /** The terms change, but for the filters: what these hid the encoder has not heard of. */
  renegotiate(options: PacerOptions): void
  /** It is looked at no more. */
  close(): void
}

export interface TrackParts {
  readonly session: TrackedSession
  readonly pacer: Pacer
  /** What comes before everything else, and where a reader stands before it. */
  readonly first: readonly PacedFrame[]
  readonly place: Place
  readonly sliceBytes: number
  /** Beyond so many items the log keeps the rest; 256 without it. */
  readonly maxItems?: number
  onMore(): void
  /** The log could not be read; `session_deleted` when nothing is left of the session. */
  onFailed(error: unknown): void
  onClosed(): void
}

export function createTrack(parts: TrackParts): Track {
  const { session, pacer, sliceBytes, maxItems = 256, onMore, onFailed } = parts
  let intro = parts.first
  let { place } = parts
  let isReading = false
  let isClosed = false
  let urgentSeq = -1
  let scoutedSeq = pacer.seq

  const isBehind = (): boolean => pacer.seq < session.lastSeq
  const hasRoom = (): boolean => pacer.size <= maxItems && !pacer.isFull

  const scan = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.seq <= scoutedSeq) continue
      if (isUrgent(entry)) urgentSeq = entry.seq
      scoutedSeq = entry.seq
    }
  }

  /** Something critical is not late because much stands before it. */
  const scout = async (): Promise<void> => {
    const known = urgentSeq
    while (scoutedSeq < session.lastSeq && urgentSeq === known && !isClosed) {
      const entries = await session.read(scoutedSeq + 1, sliceBytes)
      if (entries.length === 0) return
      scan(entries)
    }
  }

  const read = async (): Promise<void> => {
    const { lastSeq } = session
    const entries = await session.read(pacer.seq + 1, sliceBytes)
    if (entries.length === 0 && pacer.seq < lastSeq) throw new SluiceError('session_deleted')
    for (const entry of entries) {
      if (entry.seq !== pacer.seq + 1) continue
      pacer.add(entry)
      scan([entry])
    }
    if (!hasRoom()) await scout()
  }

  return {
    session,
    accept(entries, isPaused) {
      const [entry] = entries
      if (entry === undefined) return
      if (entry.seq === pacer.seq + 1 && !isReading && !isPaused && hasRoom()) {
        for (const each of entries) pacer.add(each)
        scoutedSeq = Math.max(scoutedSeq, pacer.seq)
      } else if (scoutedSeq >= entry.seq - 1) scan(entries)
    },
    next(now, isReady) {
      const [frame] = intro
      if (frame === undefined) return pacer.next(now, isReady, urgentSeq, isBehind() && hasRoom())
      const isFree = intro.some((each) => each.isFree)
      if (!isFree && !isReady) return { type: 'full' }
      intro = intro.slice(1)
      place = frame.cursor
      return { type: 'emit', frame: { ...frame, isFree } }
    },
    fill() {
      if (isReading || !isBehind() || !hasRoom()) return
      isReading = true
      read().then(
        () => {
          isReading = false
          if (!isClosed) onMore()
        },
        (error: unknown) => {
          isReading = false
          if (!isClosed) onFailed(error)
        },
      )
    },
    get hasCritical() {
      return pacer.hasCritical || urgentSeq > pacer.cursor.seq || intro.some(({ isFree }) => isFree)
    },
    get lag() {
      return session.lastSeq - pacer.seq
    },
    get isIdle() {
      return intro.length === 0 && pacer.size === 0 && !isBehind() && !isReading
    },
    get isDone() {
      return session.isEnded && intro.length === 0 && pacer.size === 0 && !isBehind() && !isReading
    },
    get place() {
      return intro.length > 0 ? place : pacer.cursor
    },
    renegotiate: pacer.renegotiate,
    close() {
      isClosed = true
      parts.onClosed()
    },
  }
}
