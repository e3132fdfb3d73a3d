import type { LogHealth } from '../../log.ts'

/** Notifies listeners when the health of a log has changed. */
export interface HealthWatch {
  /** Call it whenever the health may have changed. */
  look(): void
  listen(listener: (health: LogHealth) => void): () => void
}

export function createHealthWatch(readHealth: () => LogHealth): HealthWatch {
  const listeners = new Set<(health: LogHealth) => void>()
  let last = readHealth()
  return {
    look() {
      const next = readHealth()
      if (codeOf(next) === codeOf(last)) return
      last = next
      // In a microtask, so that a listener's exception stops nothing here.
      for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener(next))
    },
    listen(listener) {
      // One function may listen twice.
      const own = (health: LogHealth) => listener(health)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}

function codeOf(health: LogHealth): string | undefined {
  return health.writable ? undefined : health.code
}
