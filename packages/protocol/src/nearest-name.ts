/** Comparing is quadratic, so only this part of a name counts. */
const maxLength = 64

/**
 * The candidate that `typed` most likely means, if one is close enough. Ignores case, separators and
 * `SLUICE_`.
 */
export function nearestName(typed: string, candidates: readonly string[]): string | undefined {
  const bare = toBare(typed)
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const other = toBare(candidate)
    const distance = editDistance(bare, other)
    const allowed = Math.max(1, Math.floor(Math.min(bare.length, other.length) / 3))
    if (distance > allowed || distance >= least) continue
    best = candidate
    least = distance
  }
  return best
}

function toBare(name: string): string {
  return name
    .toLowerCase()
    .replace(/^sluice_/, '')
    .replace(/[-_/]/g, '')
    .slice(0, maxLength)
}

/** Levenshtein distance, with a swap of neighbors counted as one. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
