import { type Cursor, isSameCursor } from '../cursor.ts'
import type { Dialect, Encoded } from '../dialect.ts'
import type { Entry } from '../entry.ts'
import { divideEntry } from '../resume.ts'
import type { SessionState } from '../session-state.ts'

/**
 * Joins a session inside an entry. `before` is the session folded up to the entry before it. Returns the
 * dialect's frames for joining, then the rest of the entry.
 */
export function enterInside<E>(
  dialect: Dialect<unknown, E>,
  { before, entry }: { readonly before: SessionState; readonly entry: Entry },
  cursor: Cursor,
): Encoded<E> {
  const { units = 0, empty = 0 } = cursor
  const { state, rest, part } = divideEntry(before, entry, { units, empty })
  const joined = dialect.encode.enter(state, cursor)
  const stepped = dialect.encode.step(joined.state, rest, rest === entry ? undefined : part)
  const delivered = stepped.frames.findIndex((frame) => isSameCursor(frame.cursor, cursor))
  return { state: stepped.state, frames: [...joined.frames, ...stepped.frames.slice(delivered + 1)] }
}
