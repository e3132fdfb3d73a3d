import { type Cursor, parseCursor, SluiceError } from '@sluice/protocol'
import { compareCursors } from './compare-cursors.ts'

/** The place of a reader in a session: which frames it already has. */
export interface Place {
  /** The cursor to read on from. */
  after(): string
  /** A connection starts to read here. */
  begun(head: string | undefined): void
  /** Takes the cursor of a frame; false if the reader already has that frame. */
  takes(cursor: string): boolean
  /** Takes a cursor without a frame. */
  moved(cursor: string): void
  /** The cursor is invalid: the session is read again from `oldest` on. */
  restarted(oldest: string): void
  /** Whether everything that existed when reading started has been read. */
  isCaughtUp(): boolean
}

export function createPlace(after: string): Place {
  /** Where reading starts. The gateway sends nothing of before, and may stand before the frames that it counts. */
  let start = unitOf(parseCursor(after))
  let last: Cursor | undefined
  let head: Cursor | undefined
  /** Frames at the very start are those that a dialect needs for joining. A later connection repeats them. */
  let joins = true

  return {
    after: () => after,
    begun(newHead) {
      joins = last === undefined
      head = newHead === undefined ? undefined : readCursor(newHead)
    },
    takes(text) {
      const cursor = readCursor(text)
      const order = compareCursors(cursor, last ?? start)
      if (order < 0 || (order === 0 && !(joins && compareCursors(cursor, start) === 0))) return false
      last = cursor
      after = text
      return true
    },
    moved(text) {
      const cursor = readCursor(text)
      if (compareCursors(cursor, last ?? start) <= 0) return
      last = cursor
      after = text
    },
    restarted(oldest) {
      start = unitOf(readCursor(oldest))
      after = oldest
      last = undefined
      joins = true
    },
    isCaughtUp: () => head !== undefined && compareCursors(last ?? start, head) >= 0,
  }
}

/**
 * The place without what is counted after its last unit: a cursor that was kept may be of another dialect or an earlier
 * version, whose frames are not those that this reader gets.
 */
function unitOf({ seq, units }: Cursor): Cursor {
  return units === undefined ? { seq } : { seq, units }
}

/** Reads a peer's cursor. An invalid one means that the peer is not a gateway, such as a proxy's page. */
function readCursor(text: string): Cursor {
  try {
    return parseCursor(text)
  } catch (cause) {
    throw new SluiceError('gateway_unreachable', { message: 'A frame came without a cursor.', cause })
  }
}
