import { type Cursor, type EventPlace, placeAfter, toCursor } from './cursor.ts'
import type { EntryPart, OutFrame } from './dialect.ts'
import type { Entry } from './entry.ts'

/** A frame that an encoder makes from an entry, and how far into the entry it takes a reader. */
export interface Draft<V> {
  readonly value: V
  /** The number of the entry's events that are delivered whole with this frame. */
  readonly events: number
  /** The number of code points of the text-delta after them that are delivered, too. */
  readonly points?: number
  /** The frame belongs to the event after them, and more frames of that event follow. */
  readonly isPart?: boolean
}

/** Renders a draft as JSON on one line. Ids that the frame must carry derive from the cursor. */
export type Render<V> = (value: V, cursor: Cursor) => { readonly data: string; readonly id?: string }

export interface FramesOf<V> {
  /** The dialect of the frames. */
  readonly dialect: string
  readonly entry: Entry
  readonly part: EntryPart | undefined
  readonly drafts: readonly Draft<V>[]
}

/** Gives each draft its cursor and renders it. The last one completes the entry, or the part. */
export function toFrames<V>(
  { dialect, entry, part, drafts }: FramesOf<V>,
  render: Render<V>,
): readonly OutFrame[] {
  const { seq } = entry
  const frames: OutFrame[] = []
  const add = ({ value }: Draft<V>, cursor: Cursor): void => {
    const placed = part?.place?.(cursor) ?? cursor
    const { data, id } = render(value, placed)
    frames.push(id === undefined ? { data, cursor: placed } : { data, cursor: placed, id })
  }
  let place: EventPlace = startOf(part)
  let counted = 0
  let parts = 0
  for (const [index, draft] of drafts.entries()) {
    if (index === drafts.length - 1 && part?.isInner !== true) {
      add(draft, { seq })
      break
    }
    for (; counted < draft.events; counted++) {
      const event = entry.events[counted]
      if (event === undefined) continue
      place = placeAfter(place, event)
      parts = 0
    }
    if (draft.isPart === true) {
      parts += 1
      add(draft, { ...toCursor(seq, place), dialect, frames: parts })
    } else if (draft.points === undefined) add(draft, toCursor(seq, place))
    else add(draft, { seq, units: place.units + draft.points })
  }
  return frames
}

/** The cursor of the only frame of an entry, or of a part of one. */
export function cursorAfter({ seq, events }: Entry, part: EntryPart | undefined): Cursor {
  if (part?.isInner !== true) return part?.place?.({ seq }) ?? { seq }
  return toCursor(seq, events.reduce(placeAfter, startOf(part)))
}

function startOf(part: EntryPart | undefined): EventPlace {
  return { units: part?.from ?? 0, empty: part?.empty ?? 0 }
}
