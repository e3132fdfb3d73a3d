import type { Client } from '@sluice/client'
import type { Clock } from '@sluice/protocol'
import { createSessionStore, type SessionStore } from './session-store.ts'

export interface SessionStoresOptions {
  readonly client: Client
  readonly clock: Clock
  readonly paceMs: number
  readonly lingerMs: number
}

/** The sessions that a page follows, each with one store, however many components show it. */
export interface SessionStores {
  readonly client: Client
  of(id: string): SessionStore
}

/**
 * How many stores to keep, unless more are followed: a store without listeners still holds its last state.
 */
const maxStores = 16

export function createSessionStores(options: SessionStoresOptions): SessionStores {
  const stores = new Map<string, SessionStore>()
  return {
    client: options.client,
    of(id) {
      const known = stores.get(id)
      const store = known ?? createSessionStore({ ...options, id })
      // Moves the most recently requested store to the end.
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
