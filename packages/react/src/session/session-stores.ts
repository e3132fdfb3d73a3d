import type { Client } from '@sluice/client'
import type { Clock } from '@sluice/protocol'
import { createSessionStore, type SessionStore } from './session-store.ts'

export interface SessionStoresOptions {
  readonly client: Client
  readonly clock: Clock
  readonly paceMs: number
  readonly lingerMs: number
}

/** The sessions that a page follows: one store each, however many components look at it. */
export interface SessionStores {
  readonly client: Client
  of(id: string): SessionStore
}

/** Stores are small once nobody listens, but they hold the last state: so many are kept. */
const maxStores = 16

export function createSessionStores(options: SessionStoresOptions): SessionStores {
  const stores = new Map<string, SessionStore>()
  return {
    client: options.client,
    of(id) {
      const known = stores.get(id)
      const store = known ?? createSessionStore({ ...options, id })
      // The one that was asked for last goes last.
      stores.delete(id)
      stores.set(id, store)
      for (const [oldest, each] of stores) {
        if (stores.size <= maxStores) break
        if (!each.isFollowed()) stores.delete(oldest)
      }
      return store
    },
  }
}
