export interface BackoffOptions {
  /** The upper bound of the first wait. Default 1 s. */
  readonly baseMs?: number
  /** The upper bound of every wait, except for one that the peer asked for. Default 30 s. */
  readonly maxMs?: number
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random?: () => number
}

/** Waits before attempts: exponential with full jitter, so that clients do not return in step. */
export interface Backoff {
  /** The next wait; never shorter than `atLeastMs`, the time that the peer asked for. */
  next(atLeastMs?: number): number
  /** Starts again with short waits; call it after a success. */
  reset(): void
  /** Changes the bound of the first wait, if the peer asks for it. */
  setBase(ms: number): void
}

/** Beyond this every bound is `maxMs` anyway. */
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
