import type { Entry } from '@sluice/protocol'
import type { Session } from '../sessions/session.ts'
import { isUrgent } from './pacing/item.ts'
import type { PacedFrame, Pacer, PacerOptions, PaceStep } from './pacing/pacer.ts'

/** One session of a stream: what was taken in of it, and what is still in the log. */
export interface Track {
  readonly session: Session
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
  renegotiate(options: PacerOptions): void
}

export interface TrackParts {
  readonly session: Session
  readonly pacer: Pacer
  /** What comes before everything else. */
  readonly first: readonly PacedFrame[]
  readonly sliceBytes: number
  onMore(): void
  /** The log could not be read. */
  onFailed(error: unknown): void
}

/** Beyond so many items the log keeps the rest. */
const maxItems = 256

export function createTrack({ session, pacer, first, sliceBytes, onMore, onFailed }: TrackParts): Track {
  let intro = first
  let isReading = false
  let urgentSeq = -1
  let scoutedSeq = pacer.seq

  const isBehind = (): boolean => pacer.seq < session.lastSeq

  const scan = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.seq <= scoutedSeq) continue
      if (isUrgent(entry)) urgentSeq = entry.seq
      scoutedSeq = entry.seq
    }
  }

  /** Something critical is not late because much stands before it. */
  const scout = async (): Promise<void> => {
    while (scoutedSeq < session.lastSeq) {
      const entries = await session.read(scoutedSeq + 1, sliceBytes)
      if (entries.length === 0) return
      scan(entries)
    }
  }

  const read = async (): Promise<void> => {
    const entries = await session.read(pacer.seq + 1, sliceBytes)
    for (const entry of entries) {
      if (entry.seq !== pacer.seq + 1) continue
      pacer.add(entry)
      scan([entry])
    }
    if (pacer.size > maxItems) await scout()
  }

  return {
    session,
    accept(entries, isPaused) {
      const [entry] = entries
      if (entry === undefined) return
      if (entry.seq === pacer.seq + 1 && !isReading && !isPaused && pacer.size <= maxItems) {
        for (const each of entries) pacer.add(each)
        scoutedSeq = Math.max(scoutedSeq, pacer.seq)
      } else if (scoutedSeq >= entry.seq - 1) scan(entries)
    },
    next(now, isReady) {
      const [frame] = intro
      if (frame === undefined) return pacer.next(now, isReady, urgentSeq)
      if (!frame.isFree && !isReady && !intro.some(({ isFree }) => isFree)) return { type: 'full' }
      intro = intro.slice(1)
      return { type: 'emit', frame }
    },
    fill() {
      if (isReading || !isBehind() || pacer.size > maxItems) return
      isReading = true
      read().then(
        () => {
          isReading = false
          onMore()
        },
        (error: unknown) => {
          isReading = false
          onFailed(error)
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
    renegotiate: pacer.renegotiate,
  }
}
