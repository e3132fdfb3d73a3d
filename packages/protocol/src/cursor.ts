import { SluiceError } from './error.ts'
import type { SluiceEvent } from './events.ts'
import { omitUndefined } from './omit-undefined.ts'
import { countCodePoints } from './segment/code-points.ts'

/**
 * A place in a session's log. With `seq` alone, that entry was delivered whole. `units` and `empty` limit this
 * to a part of its events, which is the same in every view. `frames` then adds frames of the next event, which
 * have a meaning only in views of `dialect`: any other view continues before them, at the whole unit.
 */
export interface Cursor {
  readonly seq: number
  /** Units of the entry: one per code point of text, one per other event. */
  readonly units?: number
  /** Pieces of text after those units that have no text, and so count no unit. */
  readonly empty?: number
  /** Frames of the event after those, where a dialect writes it as several. */
  readonly frames?: number
  /** Set together with `frames`. */
  readonly dialect?: string
}

/** Before the first entry. */
export const startCursor: Cursor = { seq: -1 }

/**
 * A cursor as text. A third number without a letter is of an earlier version, which did not say whose frames
 * it counted.
 */
export const cursorPattern =
  '(-1|\\d{1,15})(?:\\.(\\d{1,15})(?:\\.\\d{1,15}|(?:\\.e(\\d{1,15}))?(?:\\.([a-z][a-z0-9-]{0,31})\\.(\\d{1,15}))?))?'

/** The characters of the longest cursor. */
export const maxCursorCharacters = 97

const cursorText = new RegExp(`^${cursorPattern}$`)

/** Parses a cursor; throws `bad_cursor`. */
export function parseCursor(text: string): Cursor {
  const match = cursorText.exec(text)
  if (match === null) throw new SluiceError('bad_cursor')
  const [, seq, units, empty, dialect, frames] = match
  if (units === undefined) return { seq: Number(seq) }
  return omitUndefined({
    seq: Number(seq),
    units: Number(units),
    empty: empty === undefined ? undefined : Number(empty),
    frames: frames === undefined ? undefined : Number(frames),
    dialect,
  })
}

export function formatCursor({ seq, units, empty, frames, dialect }: Cursor): string {
  if (units === undefined) return String(seq)
  const place = empty === undefined ? `${seq}.${units}` : `${seq}.${units}.e${empty}`
  return frames === undefined ? place : `${place}.${dialect}.${frames}`
}

/** Whether two cursors are written the same. */
export function isSameCursor(a: Cursor, b: Cursor): boolean {
  return (
    a.seq === b.seq &&
    a.units === b.units &&
    a.empty === b.empty &&
    a.frames === b.frames &&
    a.dialect === b.dialect
  )
}

/** The number of units that an event counts in a cursor. */
export function unitsOf(event: SluiceEvent): number {
  return event.kind === 'text-delta' ? countCodePoints(event.text) : 1
}

/** A place among the events of an entry, as in a cursor. */
export interface EventPlace {
  readonly units: number
  readonly empty: number
}

/** The place after an event at `place`. */
export function placeAfter({ units, empty }: EventPlace, event: SluiceEvent): EventPlace {
  const size = unitsOf(event)
  return size === 0 ? { units, empty: empty + 1 } : { units: units + size, empty: 0 }
}

/** The cursor of a place among the events of entry `seq`. */
export function toCursor(seq: number, { units, empty }: EventPlace): Cursor {
  return empty === 0 ? { seq, units } : { seq, units, empty }
}

/**
 * Splits events at a place, inside a text-delta if necessary. `empty` in the result is the number of empty pieces
 * that were passed.
 */
export function splitEvents(
  events: readonly SluiceEvent[],
  { units, empty }: EventPlace,
): {
  readonly before: readonly SluiceEvent[]
  readonly after: readonly SluiceEvent[]
  readonly empty: number
} {
  let left = units
  let passed = 0
  for (const [index, event] of events.entries()) {
    const size = unitsOf(event)
    if (left > 0 && left >= size) {
      left -= size
      continue
    }
    if (left === 0 && size === 0 && passed < empty) {
      passed += 1
      continue
    }
    if (left === 0 || event.kind !== 'text-delta')
      return { before: events.slice(0, index), after: events.slice(index), empty: passed }
    const points = Array.from(event.text)
    const { held, hint, joins, ...shared } = event
    const head: SluiceEvent = {
      ...shared,
      ...omitUndefined({ joins }),
      text: points.slice(0, left).join(''),
    }
    const tail: SluiceEvent = {
      ...shared,
      ...omitUndefined({ hint, held }),
      text: points.slice(left).join(''),
      position: event.position + left,
    }
    return { before: [...events.slice(0, index), head], after: [tail, ...events.slice(index + 1)], empty: 0 }
  }
  return { before: events, after: [], empty: passed }
}
