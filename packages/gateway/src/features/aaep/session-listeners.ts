import type { Entry } from '@sluice/protocol'

/** Called with the entries that became durable in a session, in order. */
export type SessionListener = (session: string, entries: readonly Entry[]) => void

/** Passes the entries of all sessions to readers of several sessions, and to readers with their own pace. */
export interface SessionListeners {
  committed: SessionListener
  /** Listens to one session. */
  listenTo(session: string, listener: SessionListener): () => void
  /** Listens to all. */
  listen(listener: SessionListener): () => void
}

export function createSessionListeners(): SessionListeners {
  const all = new Set<SessionListener>()
  const bySession = new Map<string, Set<SessionListener>>()
  return {
    committed(session, entries) {
      for (const listener of bySession.get(session) ?? []) listener(session, entries)
      for (const listener of all) listener(session, entries)
    },
    listenTo(session, listener) {
      const listeners = bySession.get(session) ?? new Set()
      bySession.set(session, listeners)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && bySession.get(session) === listeners) bySession.delete(session)
      }
    },
    listen(listener) {
      all.add(listener)
      return () => {
        all.delete(listener)
      }
    },
  }
}
