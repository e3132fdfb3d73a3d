import type {
  AgentIdentity,
  Cursor,
  Entry,
  EntryPart,
  SluiceEvent,
  TextDelta,
  TextEnd,
} from '@sluice/protocol'
import { timeOf } from '@sluice/protocol'
import { countCodePoints } from '@sluice/protocol/segment'

/** Text that waits to be joined: pieces of one text, in order. */
export interface Held {
  readonly pieces: readonly [HeldPiece, ...HeldPiece[]]
  readonly characters: number
  readonly span: number
}

/** A part of a delta, and where it stands in the log. */
export interface HeldPiece {
  readonly entry: Entry
  readonly delta: TextDelta
  readonly text: string
  /** Units of the entry before it. */
  readonly from: number
  readonly units: number
  /** Code points of the delta before it. */
  readonly offset: number
  /** True when it goes to the end of its delta. */
  readonly isTail: boolean
  /** True when nothing of its entry follows. */
  readonly isLast: boolean
}

/** What is to be encoded: an entry, a part of one, or the joined text of several. */
export interface Joined {
  readonly entry: Entry
  readonly part: EntryPart | undefined
}

/** Where held text begins: a reader has everything up to here. */
export function heldStart({ pieces: [first] }: Held): Cursor {
  const { entry, from } = first
  return from === 0 ? { seq: entry.seq - 1 } : { seq: entry.seq, units: from }
}

export function extendHeld(held: Held | undefined, piece: HeldPiece, span: number): Held {
  if (held === undefined) return { pieces: [piece], characters: piece.text.length, span }
  return { pieces: [...held.pieces, piece], characters: held.characters + piece.text.length, span }
}

export function isSameText(a: TextDelta, b: TextDelta): boolean {
  return (
    a.output === b.output &&
    a.take === b.take &&
    a.channel === b.channel &&
    a.contentType === (b.contentType ?? a.contentType) &&
    a.language === (b.language ?? a.language) &&
    isSameAgent(a.meta?.agent, b.meta?.agent)
  )
}

/** Text of two agents is two texts: what follows is told as of the one who spoke last. */
function isSameAgent(a: AgentIdentity | undefined, b: AgentIdentity | undefined): boolean {
  return a === b || b === undefined || JSON.stringify(a) === JSON.stringify(b)
}

/** Cuts held text inside. Segments never begin between the halves of a surrogate pair. */
export function divideHeld(held: Held, characters: number): readonly [Held, Held] {
  const before: HeldPiece[] = []
  const after: HeldPiece[] = []
  let left = characters
  for (const piece of held.pieces) {
    if (left >= piece.text.length) before.push(piece)
    else if (left <= 0) after.push(piece)
    else {
      const text = piece.text.slice(0, left)
      const units = countCodePoints(text)
      before.push({ ...piece, text, units, isTail: false, isLast: false })
      after.push({
        ...piece,
        text: piece.text.slice(left),
        from: piece.from + units,
        units: piece.units - units,
        offset: piece.offset + units,
      })
    }
    left -= piece.text.length
  }
  return [toHeld(before, characters, held.span), toHeld(after, held.characters - characters, held.span)]
}

function toHeld(pieces: readonly HeldPiece[], characters: number, span: number): Held {
  return { pieces: pieces as Held['pieces'], characters, span } // both sides of a cut hold something
}

/** A part of an entry that leaves without its text. */
export function toPart(entry: Entry, events: readonly SluiceEvent[], from: number, isLast: boolean): Joined {
  return { entry: toPartial(entry, events), part: { from, isInner: !isLast } }
}

/** The end of a text, and where it stands in the log. */
export interface HeldEnd {
  readonly entry: Entry
  readonly event: TextEnd
  /** Units of the entry before it. */
  readonly from: number
  /** True when nothing of its entry follows. */
  readonly isLast: boolean
}

/** What goes with joined text: what is known of the place where it was cut, and its end if that leaves with it. */
export interface JoinNotes {
  readonly hint?: TextDelta['hint']
  readonly end?: HeldEnd
}

export function toJoined({ pieces }: Held, { hint, end }: JoinNotes = {}): Joined {
  const last = pieces.at(-1) ?? pieces[0]
  const whole = end === undefined ? endOf(last) : endOf({ ...end, units: 1 })
  const place = (cursor: Cursor): Cursor => {
    if (cursor.units === undefined) return whole
    return {
      ...placeOf(pieces, cursor.units),
      ...(cursor.frames === undefined ? {} : { frames: cursor.frames }),
    }
  }
  const joined = joinPieces(pieces, last)
  const delta = hint === undefined ? joined : { ...joined, hint }
  const entry = end === undefined ? last.entry : end.entry
  return {
    entry: toPartial(entry, end === undefined ? [delta] : [delta, end.event]),
    part: { from: 0, place },
  }
}

/** One delta of all pieces. It has no id: it is none of the events that were sent. */
function joinPieces([first, ...others]: Held['pieces'], last: HeldPiece): TextDelta {
  const { hint: _hint, held: _held, joins, meta, ...shared } = first.delta
  const { id: _id, at: _at, ...rest } = meta ?? {}
  const at = latestTime([first, ...others])
  const contentType =
    shared.contentType ?? others.find(({ delta }) => delta.contentType !== undefined)?.delta.contentType
  const language = shared.language ?? others.find(({ delta }) => delta.language !== undefined)?.delta.language
  return {
    ...shared,
    text: others.reduce((text, piece) => text + piece.text, first.text),
    position: first.delta.position + first.offset,
    ...(contentType === undefined ? {} : { contentType }),
    ...(language === undefined ? {} : { language }),
    ...(first.offset === 0 && joins !== undefined ? { joins } : {}),
    ...(last.isTail && last.delta.held !== undefined ? { held: last.delta.held } : {}),
    ...(at === undefined && Object.keys(rest).length === 0
      ? {}
      : { meta: at === undefined ? rest : { ...rest, at } }),
  }
}

/** The time of the latest piece, where one of them brought a time of its own. */
function latestTime(pieces: readonly HeldPiece[]): string | undefined {
  if (pieces.every(({ delta }) => delta.meta?.at === undefined)) return undefined
  const timeOfPiece = ({ delta, entry }: HeldPiece): number => timeOf(delta, entry)
  const latest = pieces.reduce((best, piece) => (timeOfPiece(piece) > timeOfPiece(best) ? piece : best))
  return latest.delta.meta?.at ?? new Date(timeOfPiece(latest)).toISOString()
}

/** The place in the log after `units` units of a joined text. */
function placeOf(pieces: Held['pieces'], units: number): Cursor {
  let left = units
  for (const piece of pieces) {
    if (left < piece.units) return { seq: piece.entry.seq, units: piece.from + left }
    if (left === piece.units) return endOf(piece)
    left -= piece.units
  }
  return endOf(pieces.at(-1) ?? pieces[0])
}

function endOf({
  entry: { seq },
  from,
  units,
  isLast,
}: Pick<HeldPiece, 'entry' | 'from' | 'units' | 'isLast'>): Cursor {
  return isLast ? { seq } : { seq, units: from + units }
}

/** What is left of an entry is not the frame that was received, and its findings were told with it. */
export function toPartial(entry: Entry, events: readonly SluiceEvent[]): Entry {
  const { raw: _raw, ...rest } = entry
  return { ...rest, clean: false, events, diagnostics: [] }
}
