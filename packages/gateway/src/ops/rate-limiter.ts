import type { Clock } from '@sluice/protocol'

export interface RateLimits {
  /** How many tokens a subject gets per second. */
  readonly perSecond: number
  /** How many it can save up; by default as many as it gets in a second, and at least 1. */
  readonly burst?: number
  /** How many subjects are remembered; the least recently seen one is forgotten first. 10 000 by default. */
  readonly maxSubjects?: number
}

/** A bucket of tokens per subject. A forgotten subject starts with a full one. */
export interface RateLimiter {
  /**
   * Takes a token and returns 0, or takes none and returns in how many milliseconds the next one is
   * available.
   */
  take(subject: string): number
  /** How many subjects are remembered. */
  readonly size: number
}

// The sum of many spacings is slightly off: 5000 times 0.2 is more than 1000.
const ROUNDING_MS = 1e-6

/** Limits rates with the generic cell rate algorithm: one number per subject, no timers. */
export function createRateLimiter(clock: Clock, limits: RateLimits): RateLimiter {
  const { perSecond, maxSubjects = 10_000 } = limits
  const burst = Math.max(1, limits.burst ?? perSecond)
  if (!(perSecond > 0) || !(maxSubjects >= 1))
    throw new RangeError('A rate and its subjects must be positive.')
  const spacingMs = 1000 / perSecond
  const savedMs = (burst - 1) * spacingMs
  // Times count from here: large numbers have coarse steps, which matter at 5000 tokens per second.
  const startMs = clock.monotonic()
  /** When the bucket of a subject is full again, least recently seen first. */
  const fullAt = new Map<string, number>()

  return {
    take: (subject) => {
      const now = clock.monotonic() - startMs
      const full = Math.max(fullAt.get(subject) ?? now, now)
      fullAt.delete(subject)
      const waitMs = Math.max(0, Math.ceil(full - savedMs - now - ROUNDING_MS))
      fullAt.set(subject, waitMs === 0 ? full + spacingMs : full)
      if (fullAt.size > maxSubjects) {
        const [oldest] = fullAt.keys()
        if (oldest !== undefined) fullAt.delete(oldest)
      }
      return waitMs
    },
    get size() {
      return fullAt.size
    },
  }
}
