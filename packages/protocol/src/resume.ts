import { type Cursor, splitAtUnits } from './cursor.ts'
import type { Dialect, Encoded } from './dialect.ts'
import type { Entry } from './entry.ts'
import { fold, timeOf } from './fold.ts'
import type { SessionState } from './session-state.ts'

/**
 * Joins a session inside an entry: `before` is the session folded to the entry before it. The frames are those of the
 * contract's way to join, then the rest of the entry.
 */
export function enterInside<E>(
  dialect: Dialect<unknown, E>,
  before: SessionState,
  entry: Entry,
  cursor: Cursor,
): Encoded<E> {
  const units = cursor.units ?? 0
  const { state, rest } = divideEntry(before, entry, units)
  const joined = dialect.encode.enter(state, cursor)
  const part = units === 0 ? undefined : { from: units }
  const stepped = dialect.encode.step(joined.state, rest, part)
  return { state: stepped.state, frames: [...joined.frames, ...stepped.frames.slice(cursor.frames ?? 0)] }
}

/** The session after the first `units` units of `entry`, and the rest of the entry. */
export function divideEntry(
  before: SessionState,
  entry: Entry,
  units: number,
): { readonly state: SessionState; readonly rest: Entry } {
  if (units === 0) return { state: before, rest: entry }
  const { before: done, after } = splitAtUnits(entry.events, units)
  let state = before
  for (const event of done) {
    const eventAt = Math.max(state.eventAt, timeOf(event, entry))
    state = { ...fold(state, event), eventAt }
  }
  // What is left of an entry is no longer the frame that was received.
  const { raw: _raw, ...unframed } = entry
  return { state, rest: { ...unframed, events: after } }
}
