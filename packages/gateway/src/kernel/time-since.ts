import type { Clock } from '@sluice/protocol'

/**
 * How long ago a stored time of day is, at least 0 and at most `maxMs`: the clock may have been set since, in
 * either direction.
 */
export function timeSince(
  at: number,
  { clock, maxMs }: { readonly clock: Clock; readonly maxMs: number },
): number {
  return Math.min(maxMs, Math.max(0, clock.now() - at))
}
