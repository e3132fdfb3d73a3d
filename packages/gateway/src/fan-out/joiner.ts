import {
  type AgentIdentity,
  type Cursor,
  type Entry,
  type EntryPart,
  type SluiceEvent,
  type TextDelta,
  timeOf,
  unitsOf,
} from '@sluice/protocol'
import { countCodePoints, createSegmenter, type SegmentUnit } from '@sluice/protocol/segment'

/** How pieces of text are joined: until a boundary, or all that came in within a span of time. */
export type Coalescing = { readonly unit: SegmentUnit } | { readonly spanMs: number }

/** Text that waits to be joined: pieces of one text, in order. */
export interface Held {
  readonly pieces: readonly [HeldPiece, ...HeldPiece[]]
  readonly characters: number
  readonly span: number
}

/** A part of a delta, and where it stands in the log. */
interface HeldPiece {
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

export interface JoinStep {
  readonly held: Held | undefined
  readonly joined: readonly Joined[]
}

/** Beyond this much text without a boundary it leaves anyway. */
const maxHeldCharacters = 4096

/**
 * Takes in one entry and tells what leaves. A pure function of the log: after text has left nothing of it is
 * remembered, so a reader who joins behind it goes on with the same frames.
 */
export function joinEntry(
  coalescing: Coalescing,
  before: Held | undefined,
  entry: Entry,
  from = 0,
): JoinStep {
  const joined: Joined[] = []
  const span = 'spanMs' in coalescing ? Math.floor(entry.at / coalescing.spanMs) : 0
  let held = before
  const flush = (): void => {
    if (held !== undefined) joined.push(toJoined(held))
    held = undefined
  }
  if (held !== undefined && held.span !== span) flush()
  if (!entry.events.some((event) => event.kind === 'text-delta')) {
    flush()
    joined.push(
      from === 0 ? { entry, part: undefined } : { entry: toPartial(entry, entry.events), part: { from } },
    )
    return { held, joined }
  }
  let units = from
  let passed: SluiceEvent[] = []
  const passedFrom = (): number => units - passed.reduce((sum, event) => sum + unitsOf(event), 0)
  const pass = (isLast: boolean): void => {
    if (passed.length > 0) joined.push(toPart(entry, passed, passedFrom(), isLast))
    passed = []
  }
  for (const [index, event] of entry.events.entries()) {
    const isLast = index === entry.events.length - 1
    // Nothing is added by an empty one, and a cursor before it could not tell whether it was joined.
    const isHeld = event.kind === 'text-delta' && event.text !== ''
    if (!isHeld) {
      flush()
      passed.push(event)
      units += unitsOf(event)
      continue
    }
    pass(false)
    if (held !== undefined && !isSameText(held.pieces[0].delta, event)) flush()
    const piece = {
      entry,
      delta: event,
      text: event.text,
      from: units,
      units: unitsOf(event),
      offset: 0,
      isTail: true,
      isLast,
    }
    held = extend(held, piece, span)
    units += piece.units
    const cut = cutOf(coalescing, held)
    if (cut === held.characters) flush()
    else if (cut > 0) {
      const [head, tail] = divideHeld(held, cut)
      joined.push(toJoined(head))
      held = tail
    }
  }
  pass(true)
  return { held, joined }
}

/** What leaves when held text need not wait any longer. */
export function flushHeld(held: Held): Joined {
  return toJoined(held)
}

/** Where held text begins: a reader has everything up to here. */
export function heldStart({ pieces: [first] }: Held): Cursor {
  const { entry, from } = first
  return from === 0 ? { seq: entry.seq - 1 } : { seq: entry.seq, units: from }
}

/** When held text leaves by itself, ms since 1970; undefined when it waits for a boundary. */
export function heldUntil(coalescing: Coalescing, held: Held): number | undefined {
  return 'spanMs' in coalescing ? (held.span + 1) * coalescing.spanMs : undefined
}

function isSameText(a: TextDelta, b: TextDelta): boolean {
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

function extend(held: Held | undefined, piece: HeldPiece, span: number): Held {
  if (held === undefined) return { pieces: [piece], characters: piece.text.length, span }
  return { pieces: [...held.pieces, piece], characters: held.characters + piece.text.length, span }
}

/** How many characters of the held text may leave. */
function cutOf(coalescing: Coalescing, { pieces, characters }: Held): number {
  const isTooLong = characters > maxHeldCharacters
  if (!('unit' in coalescing)) return isTooLong ? characters : 0
  const text = pieces.map((piece) => piece.text).join('')
  const last = createSegmenter(pieces[0].delta.language).split(text, coalescing.unit).at(-1) ?? ''
  const final = text.length - last.length
  return final === 0 && isTooLong ? characters : final
}

/** Cuts held text inside. Segments never begin between the halves of a surrogate pair. */
function divideHeld(held: Held, characters: number): readonly [Held, Held] {
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
function toPart(entry: Entry, events: readonly SluiceEvent[], from: number, isLast: boolean): Joined {
  return { entry: toPartial(entry, events), part: { from, isInner: !isLast } }
}

function toJoined({ pieces }: Held): Joined {
  const last = pieces.at(-1) ?? pieces[0]
  const place = (cursor: Cursor): Cursor => {
    if (cursor.units === undefined) return endOf(last)
    return {
      ...placeOf(pieces, cursor.units),
      ...(cursor.frames === undefined ? {} : { frames: cursor.frames }),
    }
  }
  return { entry: toPartial(last.entry, [joinPieces(pieces, last)]), part: { from: 0, place } }
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

function endOf({ entry: { seq }, from, units, isLast }: HeldPiece): Cursor {
  return isLast ? { seq } : { seq, units: from + units }
}

/** What is left of an entry is not the frame that was received, and its findings were told with it. */
function toPartial(entry: Entry, events: readonly SluiceEvent[]): Entry {
  const { raw: _raw, ...rest } = entry
  return { ...rest, clean: false, events, diagnostics: [] }
}
