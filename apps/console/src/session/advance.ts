/** Where a replay is: at this entry, for this long. */
export interface ReplayPlace {
  readonly seq: number
  readonly spentMs: number
}

/** Longer pauses between entries are cut to this. */
const longestPauseMs = 1500

/** Where a replay is `ms` later. `at` holds the times of the entries up to `last`. */
export function advance(at: ArrayLike<number>, last: number, from: ReplayPlace, ms: number): ReplayPlace {
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
