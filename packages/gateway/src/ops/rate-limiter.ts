import type { Clock } from '@sluice/protocol'

export interface RateLimits {
  /** How many tokens a subject gets in a second. */
  readonly perSecond: number
  /** How many it can save up; as many as it gets in a second if absent, and at least 1. */
  readonly burst?: number
  /** How many subjects are remembered, the least recently seen being forgotten first; 10 000 if absent. */
  readonly maxSubjects?: number
}

/** A bucket of tokens for each subject. A subject that was forgotten begins with a full one. */
export interface RateLimiter {
  /** Takes a token and answers 0, or takes none and answers in how many milliseconds there will be one. */
  take(subject: string): number
  /** How many subjects are remembered. */
  readonly size: number
}

// The sum of many spacings is a little off: 5000 times 0.2 is more than 1000.
const ROUNDING_MS = 1e-6

/** Limits rates by the generic cell rate algorithm: one number a subject, no timers. */
export function createRateLimiter(clock: Clock, limits: RateLimits): RateLimiter {
  const { perSecond, maxSubjects = 10_000 } = limits
  const burst = Math.max(1, limits.burst ?? perSecond)
  if (!(perSecond > 0) || !(maxSubjects >= 1))
    throw new RangeError('A rate and its subjects must be positive.')
  const spacingMs = 1000 / perSecond
  const savedMs = (burst - 1) * spacingMs
  // Times count from here: at 1.7e12 a number has steps of 0.2 µs, which 5000 tokens a second would feel.
  const startMs = clock.now()
  /** When the bucket of a subject is full again, least recently seen first. */
  const fullAt = new Map<string, number>()

  return {
    take: (subject) => {
      const now = clock.now() - startMs
      // A clock that was set back must not lock subjects out until it has caught up.
      const full = Math.min(Math.max(fullAt.get(subject) ?? now, now), now + savedMs + spacingMs)
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
