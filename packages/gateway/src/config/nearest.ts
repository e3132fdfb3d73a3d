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

/** Changes, and swaps of neighbours, that make one text of the other. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + change,
          isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
