export interface BackoffOptions {
  /** The bound of the first wait. */
  readonly baseMs?: number
  /** The bound of every wait that the gateway does not ask for. */
  readonly maxMs?: number
  /** From 0 up to, but without, 1. */
  readonly random?: () => number
}

/** How long to wait before the next try: exponential with full jitter, so that clients do not come back in step. */
export interface Backoff {
  /** The next wait. With `atLeastMs`, what the gateway asked for, it is never shorter than that. */
  next(atLeastMs?: number): number
  /** The connection was healthy: begin anew with short waits. */
  reset(): void
  /** Another bound for the first wait, as the gateway asks for it. */
  setBase(ms: number): void
}

/** Where doubling stops: beyond it every bound is the largest one anyway. */
const maxDoublings = 30

export function createBackoff(options: BackoffOptions = {}): Backoff {
  const { maxMs = 30_000, random = Math.random } = options
  let baseMs = options.baseMs ?? 1_000
  let failures = 0
  return {
    next(atLeastMs = 0) {
      const boundMs = Math.min(maxMs, baseMs * 2 ** Math.min(failures, maxDoublings))
      failures += 1
      return atLeastMs + Math.floor(random() * boundMs)
    },
    reset() {
      failures = 0
    },
    setBase(ms) {
      baseMs = Math.min(Math.max(ms, 1), maxMs)
    },
  }
}
