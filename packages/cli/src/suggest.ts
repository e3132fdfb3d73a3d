import { editDistance } from '@sluice/protocol'

/** The candidate that `typed` most likely meant, if one is near enough. */
export function suggest(typed: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate)
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}
