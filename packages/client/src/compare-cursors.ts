import type { Cursor } from '@sluice/protocol'

/** Negative if `a` comes before `b`, 0 if both are the same place. Both are of readers of one dialect. */
export function compareCursors(a: Cursor, b: Cursor): number {
  if (a.seq !== b.seq) return a.seq - b.seq
  // Without units, the whole entry was delivered: the cursor is after every place inside it.
  const unitsA = a.units ?? Number.POSITIVE_INFINITY
  const unitsB = b.units ?? Number.POSITIVE_INFINITY
  if (unitsA !== unitsB) return unitsA - unitsB
  return (a.empty ?? 0) - (b.empty ?? 0) || (a.frames ?? 0) - (b.frames ?? 0)
}
