/** Wakes those who wait for a session. */
export interface Bells {
  ring(session: string): void
  ringAll(): void
  listen(session: string, signal: AbortSignal): Bell
}

/** One who waits. A ring between two waits is not lost. */
export interface Bell {
  /** Resolves at the next ring, or at once after one that nobody waited for, or when the signal aborts. */
  rung(): Promise<void>
  stop(): void
}

export function createBells(): Bells {
  const listeners = new Map<string, Set<() => void>>()
  return {
    ring(session) {
      for (const wake of listeners.get(session) ?? []) wake()
    },
    ringAll() {
      for (const wakes of listeners.values()) for (const wake of wakes) wake()
    },
    listen(session, signal) {
      let pending = false
      let resolve: (() => void) | undefined
      const wake = () => {
        pending = true
        resolve?.()
      }
      const wakes = listeners.get(session) ?? new Set()
      listeners.set(session, wakes.add(wake))
      signal.addEventListener('abort', wake)
      return {
        async rung() {
          if (!pending && !signal.aborted) {
            await new Promise<void>((done) => {
              resolve = done
            })
          }
          resolve = undefined
          pending = false
        },
        stop() {
          signal.removeEventListener('abort', wake)
          wakes.delete(wake)
          if (wakes.size === 0 && listeners.get(session) === wakes) listeners.delete(session)
        },
      }
    },
  }
}
