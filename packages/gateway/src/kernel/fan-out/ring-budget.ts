/** The bytes that all rings together may keep. Those that were written to least recently are emptied first. */
export interface RingBudget {
  /** A ring takes part; `empty` is called to make it give back everything. */
  join(empty: () => void): RingShare
  release(bytes: number): void
  readonly usedBytes: number
}

export interface RingShare {
  take(bytes: number): void
  leave(): void
}

export function createRingBudget(maxBytes: number): RingBudget {
  // A map keeps the order of insertion: the first is the one that was used least recently.
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
