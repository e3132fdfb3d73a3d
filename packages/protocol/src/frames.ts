import { type Cursor, unitsOf } from './cursor.ts'
import type { EntryPart, OutFrame } from './dialect.ts'
import type { Entry } from './entry.ts'

/** A frame that an encoder makes of an entry, and how far into the entry a reader is who has it. */
export interface Draft<V> {
  readonly value: V
  /** So many of the entry's events are delivered whole with this frame. */
  readonly events: number
  /** And so many code points of the text-delta after them. */
  readonly points?: number
  /** It belongs to the event after them, of which more frames follow. */
  readonly isPart?: boolean
}

/** Writes a draft as JSON on one line. Ids that the frame must carry derive from the cursor. */
export type Render<V> = (value: V, cursor: Cursor) => { readonly data: string; readonly id?: string }

/** Gives each draft its cursor and renders it. The last one delivers the entry whole, or all of the part. */
export function toFrames<V>(
  entry: Entry,
  drafts: readonly Draft<V>[],
  part: EntryPart | undefined,
  render: Render<V>,
): readonly OutFrame[] {
  const frames: OutFrame[] = []
  const from = part?.from ?? 0
  const place = (cursor: Cursor): Cursor => part?.place?.(cursor) ?? cursor
  let counted = 0
  let units = from
  let reached = from
  let repeats = part?.behind ?? 0
  for (const [index, draft] of drafts.entries()) {
    if (index === drafts.length - 1 && part?.isInner !== true) {
      frames.push(toFrame(draft, place({ seq: entry.seq }), render))
      break
    }
    let added = 1
    for (; counted < draft.events; counted++) {
      const event = entry.events[counted]
      if (event === undefined) continue
      added = unitsOf(event)
      units += added
    }
    const reach = units + (draft.points ?? 0)
    // Neither a part of an event nor one that counts nothing completes a unit: they are behind the units before them,
    // also where those have no frame of their own.
    const isBehind = draft.isPart === true || (added === 0 && draft.points === undefined)
    repeats = reach === reached ? repeats + 1 : isBehind ? 1 : 0
    reached = reach
    const inside = repeats === 0 ? { units: reach } : { units: reach, frames: repeats }
    frames.push(toFrame(draft, place({ seq: entry.seq, ...inside }), render))
  }
  return frames
}

/** The cursor of the only frame of an entry or of a part of it. */
export function cursorBehind(entry: Entry, part: EntryPart | undefined): Cursor {
  const { seq, events } = entry
  if (part?.isInner !== true) return part?.place?.({ seq }) ?? { seq }
  const units = events.reduce((sum, event) => sum + unitsOf(event), part.from)
  const last = events.at(-1)
  const isBehind = last === undefined || unitsOf(last) === 0
  if (!isBehind) return { seq, units }
  return { seq, units, frames: units === part.from ? (part.behind ?? 0) + 1 : 1 }
}

function toFrame<V>(draft: Draft<V>, cursor: Cursor, render: Render<V>): OutFrame {
  const { data, id } = render(draft.value, cursor)
  return id === undefined ? { data, cursor } : { data, cursor, id }
}
