import { type Entry, SluiceError } from '@sluice/protocol'
import type { Session } from '../../kernel/sessions/session.ts'
import type { SessionTime } from '../../kernel/sessions/session-time.ts'
import { addEntry } from './pacing/add-entry.ts'
import type { PaceStep } from './pacing/pace-step.ts'
import {
  countWaiting,
  isEmpty,
  isFull,
  markUrgent,
  type PacerOptions,
  type PacerState,
  renegotiatePacing,
} from './pacing/pacer.ts'
import { isUrgent } from './pacing/rank.ts'
import { stepPacer } from './pacing/step-pacer.ts'

/** The parts of a session that pacing reads. */
export interface ReadableSession extends Pick<Session, 'id' | 'lastSeq' | 'isEnded' | 'read'> {
  readonly time: Pick<SessionTime, 'toMonotonic'>
}

/** One session of a stream: keeps its pacer, and fills it from the log. */
export interface PacedSession {
  readonly session: ReadableSession
  /** The state of its pacer. */
  readonly pacer: PacerState
  /** Adds new entries if they are next and there is room; otherwise they are read from the log later. */
  accept(entries: readonly Entry[]): void
  /** Looks for critical events in new entries without adding any: they are all read from the log later. */
  scan(entries: readonly Entry[]): void
  step(input: { readonly now: number; readonly isReady: boolean }): PaceStep
  /** Continues to read the log if there is room; calls `onMore` when entries were added. */
  fill(): void
  /** Applies other terms. If the filters changed, the session has to be joined again instead. */
  renegotiate(options: PacerOptions): void
  /** How many entries are still in the log. */
  readonly lag: number
  /** Everything so far has been sent. */
  readonly isIdle: boolean
  /** Everything has been sent, and the session has ended. */
  readonly isDone: boolean
  close(): void
}

export interface PacedSessionParts {
  readonly session: ReadableSession
  readonly pacer: PacerState
  readonly sliceBytes: number
  /** While more items than this wait, entries stay in the log; 256 by default. */
  readonly maxItems?: number
  onMore(): void
  /** The log could not be read; `session_deleted` if the session was deleted. */
  onFailed(error: unknown): void
  onClosed(): void
}

export function createPacedSession(parts: PacedSessionParts): PacedSession {
  const { session, sliceBytes, maxItems = 256, onMore, onFailed } = parts
  let { pacer } = parts
  /** The last entry that was searched for critical events. */
  let scannedSeq = pacer.seq
  let isReading = false
  let isClosed = false

  const lag = (): number => session.lastSeq - pacer.seq
  const hasRoom = (): boolean => countWaiting(pacer) <= maxItems && !isFull(pacer)
  const isIdle = (): boolean => isEmpty(pacer) && lag() <= 0 && !isReading

  const scan = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.seq <= scannedSeq) continue
      if (isUrgent(entry)) pacer = markUrgent(pacer, entry.seq)
      scannedSeq = entry.seq
    }
  }

  /** Searches the log for the next critical event, which must not be delayed by everything before it. */
  const scanAhead = async (): Promise<void> => {
    const known = pacer.urgentSeq
    while (scannedSeq < session.lastSeq && pacer.urgentSeq === known && !isClosed) {
      const entries = await session.read(scannedSeq + 1, sliceBytes)
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
      pacer = addEntry(pacer, entry)
      scan([entry])
    }
    if (!hasRoom()) await scanAhead()
  }

  /** Entries after a gap are not scanned: the entries in the gap come first. */
  const scanNext = (entries: readonly Entry[]): void => {
    const [first] = entries
    if (first !== undefined && first.seq <= scannedSeq + 1) scan(entries)
  }

  return {
    session,
    get pacer() {
      return pacer
    },
    accept(entries) {
      if (isReading || entries[0]?.seq !== pacer.seq + 1 || !hasRoom()) {
        scanNext(entries)
        return
      }
      for (const entry of entries) pacer = addEntry(pacer, entry)
      scannedSeq = Math.max(scannedSeq, pacer.seq)
    },
    scan: scanNext,
    step({ now, isReady }) {
      const { toMonotonic } = session.time
      const stepped = stepPacer(pacer, { now, toMonotonic, isReady, hasMore: lag() > 0 && hasRoom() })
      pacer = stepped.state
      return stepped.step
    },
    fill() {
      if (isReading || lag() <= 0 || !hasRoom()) return
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
    renegotiate(options) {
      pacer = renegotiatePacing(pacer, options)
    },
    get lag() {
      return lag()
    },
    get isIdle() {
      return isIdle()
    },
    get isDone() {
      return session.isEnded && isIdle()
    },
    close() {
      isClosed = true
      parts.onClosed()
    },
  }
}
