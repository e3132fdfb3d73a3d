/** Counts how often each case of a property occurred, so that none of them stays untested. */
export interface Hits {
  hit(name: string): void
  /** Prints the counts and returns the names at zero. */
  missing(title: string): readonly string[]
}

export function createHits(expected: Iterable<string>): Hits {
  const counts = new Map<string, number>()
  for (const name of expected) counts.set(name, 0)
  return {
    hit: (name) => counts.set(name, (counts.get(name) ?? 0) + 1),
    missing(title) {
      const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
      console.log(`${title}: ${sorted.map(([name, count]) => `${name} ${count}`).join(', ')}`)
      return sorted.filter(([, count]) => count === 0).map(([name]) => name)
    },
  }
}
