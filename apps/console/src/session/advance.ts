/** Where a replay is: at this entry, for this long. */
export interface ReplayPlace {
  readonly seq: number
  readonly spentMs: number
}

export interface ReplayedEntries {
  /** The times of the entries. */
  readonly at: ArrayLike<number>
  readonly last: number
}

/** Longer pauses between entries are cut to this. */
const longestPauseMs = 1500

/** Where a replay of `entries` is `ms` later. */
export function advance(entries: ReplayedEntries, from: ReplayPlace, ms: number): ReplayPlace {
  const { at, last } = entries
  let { seq, spentMs } = from
  spentMs += ms
  while (seq < last) {
    const pauseMs = Math.min(longestPauseMs, Math.max(0, (at[seq + 1] ?? 0) - (at[seq] ?? 0)))
    if (pauseMs > spentMs) break
    spentMs -= pauseMs
    seq += 1
  }
  return { seq, spentMs }
}
