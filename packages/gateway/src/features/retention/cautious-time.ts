import type { Clock } from '@sluice/protocol'

/** Two clocks that count whole milliseconds drift by more than this only if one of them is set. */
const stepMs = 1_000

/**
 * The time of day, except that a step forward counts only after `delayMs`, because removed sessions are lost.
 * A step back counts immediately: it removes nothing.
 */
export function createCautiousTime(clock: Clock, delayMs: number): () => number {
  let offsetMs = clock.now() - clock.monotonic()
  let ahead: { readonly offsetMs: number; readonly since: number } | undefined

  return () => {
    const now = clock.monotonic()
    const found = clock.now() - now
    if (found <= offsetMs + stepMs) {
      offsetMs = found
      ahead = undefined
    } else {
      ahead = { offsetMs: Math.min(ahead?.offsetMs ?? found, found), since: ahead?.since ?? now }
      if (now - ahead.since >= delayMs) {
        offsetMs = ahead.offsetMs
        ahead = undefined
      }
    }
    return now + offsetMs
  }
}
