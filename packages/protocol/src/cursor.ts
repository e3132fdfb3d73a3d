import { SluiceError } from './error.ts'
import type { SluiceEvent } from './events.ts'
import { countCodePoints } from './segment/code-points.ts'

/**
 * A place in a session's log, the same in every view: `seq` alone says that entry was delivered whole; with `units`,
 * that many units of it were (one per code point of text, one per other event); with `frames`, also that many frames
 * behind them, of the unit after them or of events that count none.
 */
export interface Cursor {
  readonly seq: number
  readonly units?: number
  readonly frames?: number
}

/** Before the first entry. */
export const startCursor: Cursor = { seq: -1 }

const cursorPattern = /^(-1|\d{1,15})(?:\.(\d{1,15})(?:\.(\d{1,15}))?)?$/

/** Reads a cursor, or throws `bad_cursor`. */
export function parseCursor(text: string): Cursor {
  const match = cursorPattern.exec(text)
  if (match === null) throw new SluiceError('bad_cursor')
  const [, seq, units, frames] = match
  if (units === undefined) return { seq: Number(seq) }
  if (frames === undefined) return { seq: Number(seq), units: Number(units) }
  return { seq: Number(seq), units: Number(units), frames: Number(frames) }
}

export function formatCursor(cursor: Cursor): string {
  if (cursor.units === undefined) return String(cursor.seq)
  if (cursor.frames === undefined) return `${cursor.seq}.${cursor.units}`
  return `${cursor.seq}.${cursor.units}.${cursor.frames}`
}

/** How many units an event counts in a cursor. */
export function unitsOf(event: SluiceEvent): number {
  return event.kind === 'text-delta' ? countCodePoints(event.text) : 1
}

/** Splits events after `units` units; a text-delta is cut inside where the count falls there. */
export function splitAtUnits(
  events: readonly SluiceEvent[],
  units: number,
): { readonly before: readonly SluiceEvent[]; readonly after: readonly SluiceEvent[] } {
  let left = units
  for (const [index, event] of events.entries()) {
    const size = unitsOf(event)
    if (left > 0 && left >= size) {
      left -= size
      continue
    }
    if (left === 0 || event.kind !== 'text-delta') {
      return { before: events.slice(0, index), after: events.slice(index) }
    }
    const points = Array.from(event.text)
    const { held, hint, joins, ...shared } = event
    const joined = joins === undefined ? {} : { joins }
    const head: SluiceEvent = { ...shared, ...joined, text: points.slice(0, left).join('') }
    const tail: SluiceEvent = {
      ...shared,
      ...(hint === undefined ? {} : { hint }),
      ...(held === undefined ? {} : { held }),
      text: points.slice(left).join(''),
      position: event.position + left,
    }
    return { before: [...events.slice(0, index), head], after: [tail, ...events.slice(index + 1)] }
  }
  return { before: events, after: [] }
}
