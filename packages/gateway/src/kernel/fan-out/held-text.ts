import type {
  AgentIdentity,
  Cursor,
  Entry,
  EntryPart,
  SluiceEvent,
  TextDelta,
  TextEnd,
} from '@sluice/protocol'
import { omitUndefined, timeOf, toCursor } from '@sluice/protocol'
import { countCodePoints } from '@sluice/protocol/segment'

/** Text that waits to be joined: consecutive pieces of one output. */
export interface Held {
  readonly pieces: readonly [HeldPiece, ...HeldPiece[]]
  readonly characters: number
  readonly span: number
}

/** A part of a delta, and its place in the log. */
export interface HeldPiece {
  readonly entry: Entry
  readonly delta: TextDelta
  readonly text: string
  /** Units of the entry before it. */
  readonly from: number
  /** Empty pieces of text between those units and it. */
  readonly empty: number
  readonly units: number
  /** Code points of the delta before it. */
  readonly offset: number
  /** Whether it reaches the end of its delta. */
  readonly isTail: boolean
  /** Whether nothing of its entry follows. */
  readonly isLast: boolean
}

/** The input of an encoder: an entry, a part of one, or the joined text of several. */
export interface Joined {
  readonly entry: Entry
  readonly part: EntryPart | undefined
}

/** Where held text begins: a reader has everything before it. */
export function heldStart({ pieces: [first] }: Held): Cursor {
  const { entry, from, empty } = first
  return from === 0 && empty === 0 ? { seq: entry.seq - 1 } : startOf(first)
}

function startOf({ entry, from, empty }: HeldPiece): Cursor {
  return toCursor(entry.seq, { units: from, empty })
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

/** Texts of two agents are not joined: the joined text names one agent. */
function isSameAgent(a: AgentIdentity | undefined, b: AgentIdentity | undefined): boolean {
  return a === b || b === undefined || JSON.stringify(a) === JSON.stringify(b)
}

/** Divides held text. Segments never start between the halves of a surrogate pair. */
export function divideHeld(held: Held, characters: number): readonly [Held, Held] {
  const before: HeldPiece[] = []
  const after: HeldPiece[] = []
  let left = characters
  for (const piece of held.pieces) {
    if (left >= piece.text.length) before.push(piece)
    else if (left <= 0) after.push(piece)
    else {
      const [first, second] = dividePiece(piece, left)
      before.push(first)
      after.push(second)
    }
    left -= piece.text.length
  }
  return [toHeld(before, characters, held.span), toHeld(after, held.characters - characters, held.span)]
}

export function dividePiece(piece: HeldPiece, characters: number): readonly [HeldPiece, HeldPiece] {
  const text = piece.text.slice(0, characters)
  const units = countCodePoints(text)
  return [
    { ...piece, text, units, isTail: false, isLast: false },
    {
      ...piece,
      text: piece.text.slice(characters),
      from: piece.from + units,
      empty: 0,
      units: piece.units - units,
      offset: piece.offset + units,
    },
  ]
}

function toHeld(pieces: readonly HeldPiece[], characters: number, span: number): Held {
  return { pieces: pieces as Held['pieces'], characters, span } // both sides of a cut hold something
}

/** Some events of an entry. */
export function toPart(entry: Entry, events: readonly SluiceEvent[], part: EntryPart): Joined {
  return { entry: toPartial(entry, events), part }
}

/** The end of a text, and its place in the log. */
export interface HeldEnd {
  readonly entry: Entry
  readonly event: TextEnd
  /** Units of the entry before it. */
  readonly from: number
  /** Whether nothing of its entry follows. */
  readonly isLast: boolean
}

/** What to add to joined text: the boundary at which it was cut, and its end if that is sent along. */
export interface JoinNotes {
  readonly hint?: TextDelta['hint']
  readonly end?: HeldEnd
}

export function toJoined({ pieces }: Pick<Held, 'pieces'>, { hint, end }: JoinNotes = {}): Joined {
  const last = pieces.at(-1) ?? pieces[0]
  const whole = end === undefined ? endOf(last) : endOf({ ...end, units: 1 })
  const place = (cursor: Cursor): Cursor => {
    if (cursor.units === undefined) return whole
    const { frames, dialect } = cursor
    return { ...placeOf(pieces, cursor.units), ...omitUndefined({ frames, dialect }) }
  }
  const joined = joinPieces(pieces, last)
  const delta = hint === undefined ? joined : { ...joined, hint }
  const entry = end === undefined ? last.entry : end.entry
  return {
    entry: toPartial(entry, end === undefined ? [delta] : [delta, end.event]),
    part: { from: 0, place },
  }
}

/** One delta of all pieces. It has no id, because no such event was published. */
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
    ...omitUndefined({ contentType, language }),
    ...(first.offset === 0 && joins !== undefined ? { joins } : {}),
    ...(last.isTail && last.delta.held !== undefined ? { held: last.delta.held } : {}),
    ...(at === undefined && Object.keys(rest).length === 0
      ? {}
      : { meta: at === undefined ? rest : { ...rest, at } }),
  }
}

/** The time of the latest piece; undefined if no piece states a time. */
function latestTime(pieces: readonly HeldPiece[]): string | undefined {
  if (pieces.every(({ delta }) => delta.meta?.at === undefined)) return undefined
  const timeOfPiece = ({ delta, entry }: HeldPiece): number => timeOf(delta, entry)
  const latest = pieces.reduce((best, piece) => (timeOfPiece(piece) > timeOfPiece(best) ? piece : best))
  return latest.delta.meta?.at ?? new Date(timeOfPiece(latest)).toISOString()
}

/** The place in the log after `units` units of a joined text. */
function placeOf(pieces: Held['pieces'], units: number): Cursor {
  if (units === 0) return startOf(pieces[0])
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

/** An entry without its content, for held text, which does not need it. */
export function withoutContent(entry: Entry): Entry {
  return toPartial(entry, [])
}

/** About how many bytes of memory held text takes. */
export function weighHeld({ pieces }: Held): number {
  return pieces.reduce((sum, { delta }) => sum + 2 * delta.text.length + pieceBytes, 0)
}

/** About the bytes of a piece without its text. */
const pieceBytes = 512

/** An entry with other events: without the received frame and its findings. */
function toPartial(entry: Entry, events: readonly SluiceEvent[]): Entry {
  const { raw: _raw, ...rest } = entry
  return { ...rest, clean: false, events, diagnostics: [] }
}
