import type { Entry } from '@sluice/protocol'

/** Told of what has become durable in a session, in order. */
export type Tap = (session: string, entries: readonly Entry[]) => void

/** Hands the entries of all sessions to those who read more than one, or read at their own pace. */
export interface Taps {
  committed: Tap
  /** Listens to one session. */
  listenTo(session: string, tap: Tap): () => void
  /** Listens to all. */
  listen(tap: Tap): () => void
}

export function createTaps(): Taps {
  const all = new Set<Tap>()
  const bySession = new Map<string, Set<Tap>>()
  return {
    committed(session, entries) {
      for (const tap of bySession.get(session) ?? []) tap(session, entries)
      for (const tap of all) tap(session, entries)
    },
    listenTo(session, tap) {
      const taps = bySession.get(session) ?? new Set()
      bySession.set(session, taps)
      taps.add(tap)
      return () => {
        taps.delete(tap)
        if (taps.size === 0 && bySession.get(session) === taps) bySession.delete(session)
      }
    },
    listen(tap) {
      all.add(tap)
      return () => {
        all.delete(tap)
      }
    },
  }
}
