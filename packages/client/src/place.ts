import { type Cursor, parseCursor, SluiceError } from '@sluice/protocol'
import { compareCursors } from './compare-cursors.ts'

/** Where a reader stands in a session, and what it has already. */
export interface Place {
  /** The cursor to read on from. */
  after(): string
  /** A connection begins to read here. */
  begun(head: string | undefined): void
  /** Takes the cursor of a frame; false when the reader has that frame. */
  takes(cursor: string): boolean
  /** Takes a cursor without a frame. */
  moved(cursor: string): void
  /** The cursor is worth nothing: the session is read from `oldest` on. */
  restarted(oldest: string): void
  /** Whether what was there when reading began has been read. */
  isCaughtUp(): boolean
}

export function createPlace(after: string): Place {
  let start = parseCursor(after)
  let last: Cursor | undefined
  let head: Cursor | undefined
  /** Frames at the very start belong to the contract's way to join. A connection that reads on repeats them. */
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
      start = readCursor(oldest)
      after = oldest
      last = undefined
      joins = true
    },
    isCaughtUp: () => head !== undefined && compareCursors(last ?? start, head) >= 0,
  }
}

/** A cursor that a peer sent. One that is none means that the peer is not what it seems, such as a proxy's page. */
function readCursor(text: string): Cursor {
  try {
    return parseCursor(text)
  } catch (cause) {
    throw new SluiceError('gateway_unreachable', { message: 'A frame came without a cursor.', cause })
  }
}
