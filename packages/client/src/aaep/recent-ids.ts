/** The ids of recent events. A producer delivers at least once; a reader passes on once (AAEP §8). */
export interface RecentIds {
  /** Notes an id; false if it is among the recent ones. */
  note(id: string): boolean
}

export function createRecentIds(size: number): RecentIds {
  const ids = new Set<string>()
  return {
    note(id) {
      if (ids.has(id)) return false
      ids.add(id)
      const [oldest] = ids
      if (ids.size > size && oldest !== undefined) ids.delete(oldest)
      return true
    },
  }
}
