import type { Cursor } from '@sluice/protocol'

/** Negative when `a` comes before `b`, 0 when both are the same place. */
export function compareCursors(a: Cursor, b: Cursor): number {
  if (a.seq !== b.seq) return a.seq - b.seq
  // Without units the entry was delivered whole: behind every place inside of it.
  const unitsA = a.units ?? Number.POSITIVE_INFINITY
  const unitsB = b.units ?? Number.POSITIVE_INFINITY
  if (unitsA !== unitsB) return unitsA - unitsB
  return (a.frames ?? 0) - (b.frames ?? 0)
}
