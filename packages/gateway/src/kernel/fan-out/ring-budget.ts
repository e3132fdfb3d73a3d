/** The bytes that all rings may keep together. The least recently written rings are emptied first. */
export interface RingBudget {
  /** Adds a ring; `empty` is called to make it release everything. */
  join(empty: () => void): RingShare
  release(bytes: number): void
  readonly usedBytes: number
}

export interface RingShare {
  take(bytes: number): void
  leave(): void
}

export function createRingBudget(maxBytes: number): RingBudget {
  // A map keeps the order of insertion: the first ring is the least recently used.
  const rings = new Map<object, () => void>()
  let used = 0
  return {
    join(empty) {
      const key = {}
      return {
        take(bytes) {
          used += bytes
          rings.delete(key)
          rings.set(key, empty)
          for (const [oldest, emptyOldest] of rings) {
            if (used <= maxBytes) break
            rings.delete(oldest)
            emptyOldest()
          }
        },
        leave: () => rings.delete(key),
      }
    },
    release(bytes) {
      used -= bytes
    },
    get usedBytes() {
      return used
    },
  }
}
