import { type EventPlace, splitEvents } from './cursor.ts'
import type { EntryPart } from './dialect.ts'
import type { Entry } from './entry.ts'
import { fold, timeOf } from './fold.ts'
import type { SessionState } from './session-state.ts'

/** An entry of which a reader has a part. */
export interface DividedEntry {
  /** The session after that part. */
  readonly state: SessionState
  /** The entry without that part. */
  readonly rest: Entry
  readonly part: EntryPart
}

/** Divides an entry at a place among its events. `before` is the session before the entry. */
export function divideEntry(before: SessionState, entry: Entry, place: EventPlace): DividedEntry {
  const { before: done, after, empty } = splitEvents(entry.events, place)
  const part = { from: place.units, empty }
  if (done.length === 0) return { state: before, rest: entry, part }
  let state = before
  for (const event of done) {
    const eventAt = Math.max(state.eventAt, timeOf(event, entry))
    state = { ...fold(state, event), eventAt }
  }
  // The rest of an entry is no longer the frame that was received.
  const { raw: _raw, ...unframed } = entry
  return { state, rest: { ...unframed, events: after }, part }
}
