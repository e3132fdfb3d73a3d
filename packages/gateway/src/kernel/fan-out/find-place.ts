import {
  type Cursor,
  divideEntry,
  type Entry,
  type EntryPart,
  type SessionState,
  startCursor,
  toCursor,
  unitsOf,
} from '@sluice/protocol'

/** The parts of a session that joining needs. */
export interface JoinSource {
  readonly lastSeq: number
  stateAt(seq: number): Promise<SessionState>
  entryAt(seq: number): Promise<Entry | undefined>
}

/** The place of a reader at a cursor. */
export interface FoundPlace {
  /** The cursor as this reader understands it. */
  readonly cursor: Cursor
  /** The session up to there, without frames of an event that is not complete. */
  readonly state: SessionState
  /** The remaining events of the entry, if the place is inside one; without `part`, all of it remains. */
  readonly rest?: { readonly entry: Entry; readonly part: EntryPart | undefined }
}

/**
 * Finds the place of a cursor for a reader of `dialect`; undefined if the session has no such place. Frames of
 * another dialect are ignored: the reader continues before them and gets that event again, rather than losing a
 * part of it.
 */
export async function findPlace(
  dialect: string,
  source: JoinSource,
  cursor: Cursor,
): Promise<FoundPlace | undefined> {
  const { seq, units, empty = 0, frames } = cursor
  if (seq > source.lastSeq) return undefined
  if (seq < 0) return { cursor: startCursor, state: await source.stateAt(startCursor.seq) }
  if (units === undefined) return { cursor, state: await source.stateAt(seq) }
  const entry = await source.entryAt(seq)
  if (entry === undefined || units > countUnits(entry)) return undefined
  const { state, rest, part } = divideEntry(await source.stateAt(seq - 1), entry, { units, empty })
  if (rest.events.length === 0 && rest !== entry) return { cursor: { seq }, state: await source.stateAt(seq) }
  const place = toCursor(seq, { units, empty: part.empty ?? 0 })
  const isOwn = frames !== undefined && cursor.dialect === dialect
  return {
    cursor: isOwn ? { ...place, frames, dialect } : place,
    state,
    rest: { entry: rest, part: rest === entry ? undefined : part },
  }
}

function countUnits({ events }: Entry): number {
  return events.reduce((sum, event) => sum + unitsOf(event), 0)
}
