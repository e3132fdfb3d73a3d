import { encodeRecord } from '@sluice/log'
import { createSessionState, type Entry, foldEntry, type SessionState } from '@sluice/protocol'
import { createDrivenClock, type DrivenClock } from '@sluice/protocol/testing'
import { createConcurrencyLimit } from '../kernel/concurrency-limit.ts'
import { createHub, type Hub } from '../kernel/fan-out/hub.ts'
import { createRingBudget, type RingBudget } from '../kernel/fan-out/ring-budget.ts'
import type { Readable } from '../kernel/fan-out/subscriber.ts'
import type { ViewLimits } from '../kernel/fan-out/view.ts'
import { createSessionTime } from '../kernel/sessions/session-time.ts'

export const playedId = 'sess_played'

/** A session whose entries are known from the start; append() publishes the next ones. */
export interface PlayedSession extends Readable {
  readonly clock: DrivenClock
  readonly budget: RingBudget
  /** How often entries were read again. */
  readonly reads: number
  /** Appends the next `count` entries, with the time of the session. False when there are none left. */
  append(count: number): boolean
  entryAt(seq: number): Promise<Entry | undefined>
  stateAt(seq: number): Promise<SessionState>
  /** All entries so far. */
  readonly entries: readonly Entry[]
}

export interface PlayOptions {
  readonly script: readonly Entry[]
  readonly limits: ViewLimits
  readonly ringsBytes: number
  /** Called before a read returns. */
  readonly beforeRead?: () => Promise<void>
}

export function playSession({ script, limits, ringsBytes, beforeRead }: PlayOptions): PlayedSession {
  const clock = createDrivenClock()
  const time = createSessionTime(clock)
  const budget = createRingBudget(ringsBytes)
  const hub: Hub = createHub({
    clock,
    time,
    limits,
    budget,
    reads: createConcurrencyLimit(8),
    delivered: () => () => {},
    hasPendingBefore: () => false,
  })
  const entries: Entry[] = []
  let reads = 0
  const read = async (fromSeq: number, maxBytes: number): Promise<readonly Entry[]> => {
    reads += 1
    await beforeRead?.()
    const found: Entry[] = []
    let bytes = 0
    for (const entry of entries.slice(fromSeq)) {
      bytes += JSON.stringify(entry).length
      if (found.length > 0 && bytes > maxBytes) break
      found.push(entry)
    }
    return found
  }
  return {
    clock,
    budget,
    hub,
    entries,
    get reads() {
      return reads
    },
    get lastSeq() {
      return entries.length - 1
    },
    get isEnded() {
      return entries.at(-1)?.events.some((event) => event.kind === 'session-end') ?? false
    },
    append(count) {
      const next = script.slice(entries.length, entries.length + count)
      const added = next.map((entry) => ({ ...entry, at: time.now() }))
      if (added.length === 0) return false
      entries.push(...added)
      hub.publish(added, {
        ended: added.some(({ events }) => events.some(({ kind }) => kind === 'session-end')),
      })
      return true
    },
    read,
    readRecords: async (fromSeq, maxBytes) =>
      (await read(fromSeq, maxBytes)).map((entry) => ({ seq: entry.seq, bytes: encodeRecord(entry) })),
    entryAt: async (seq) => entries[seq],
    async stateAt(seq) {
      let state = createSessionState({ id: playedId })
      for (const entry of entries.slice(0, seq + 1)) state = foldEntry(state, entry)
      return state
    },
  }
}
