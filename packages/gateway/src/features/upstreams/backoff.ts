/** How long to wait before the next try: exponential with full jitter, so that gateways do not come back in step. */
export interface Backoff {
  /** The next wait, never shorter than `atLeastMs`. */
  next(atLeastMs?: number): number
  /** It worked: begin anew with short waits. */
  reset(): void
}

export const maxBackoffMs = 30_000
const baseMs = 1_000

export function createBackoff(random: () => number = Math.random): Backoff {
  let boundMs = baseMs
  return {
    next(atLeastMs = 0) {
      const waitMs = atLeastMs + Math.floor(random() * boundMs)
      boundMs = Math.min(maxBackoffMs, boundMs * 2)
      return waitMs
    },
    reset() {
      boundMs = baseMs
    },
  }
}
