import { editDistance } from '@sluice/protocol'

/** The candidate that `typed` is most likely a slip of, if one is near enough. Case and separators count little. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const bare = toBare(typed)
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(bare, toBare(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.floor(Math.min(bare.length, candidate.length) / 3))
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
}

function toBare(name: string): string {
  return name
    .toLowerCase()
    .replace(/^sluice_/, '')
    .replace(/[-_/]/g, '')
    .slice(0, 64)
}
