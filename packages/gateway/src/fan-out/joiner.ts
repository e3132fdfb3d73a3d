import {
  type Cursor,
  type Entry,
  type EntryPart,
  type SluiceEvent,
  type TextDelta,
  unitsOf,
} from '@sluice/protocol'
import { createSegmenter, type SegmentUnit } from '@sluice/protocol/segment'

/** How pieces of text are joined: until a boundary, or all that came in within a span of time. */
export type Coalescing = { readonly unit: SegmentUnit } | { readonly spanMs: number }

/** Text that waits to be joined, and where each piece of it stands in the log. */
export interface Held {
  readonly delta: TextDelta
  readonly pieces: readonly HeldPiece[]
  /** The entry of the last piece. */
  readonly entry: Entry
  readonly span: number
}

interface HeldPiece {
  readonly seq: number
  /** Units of its entry before it. */
  readonly from: number
  readonly units: number
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
    if (entry.events.length > 0) flush()
    joined.push({ entry, part: from === 0 ? undefined : { from } })
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
    if (event.kind !== 'text-delta') {
      flush()
      passed.push(event)
      units += 1
      continue
    }
    pass(false)
    if (held !== undefined && !isSameText(held.delta, event)) flush()
    held = extend(held, event, { seq: entry.seq, from: units, units: unitsOf(event), isLast }, entry, span)
    units += unitsOf(event)
    const cut = cutOf(coalescing, held)
    if (cut === held.delta.text.length) flush()
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
export function heldStart(held: Held): Cursor {
  const [first] = held.pieces
  if (first === undefined || first.from === 0) return { seq: (first?.seq ?? 0) - 1 }
  return { seq: first.seq, units: first.from }
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
    a.language === (b.language ?? a.language)
  )
}

function extend(
  held: Held | undefined,
  delta: TextDelta,
  piece: HeldPiece,
  entry: Entry,
  span: number,
): Held {
  if (held === undefined) return { delta, pieces: [piece], entry, span }
  const { hint: _hint, held: _half, meta, ...first } = held.delta
  const { id: _id, ...rest } = meta ?? {}
  const joined: TextDelta = {
    ...first,
    text: held.delta.text + delta.text,
    ...(delta.hint === undefined ? {} : { hint: delta.hint }),
    ...(delta.held === undefined ? {} : { held: delta.held }),
    ...(Object.keys(rest).length === 0 ? {} : { meta: rest }),
  }
  return { delta: joined, pieces: [...held.pieces, piece], entry, span }
}

/** How many characters of the held text may leave. */
function cutOf(coalescing: Coalescing, { delta }: Held): number {
  const { text } = delta
  if (!('unit' in coalescing)) return text.length > maxHeldCharacters ? text.length : 0
  const segments = createSegmenter(delta.language).split(text, coalescing.unit)
  const last = segments.at(-1) ?? ''
  const final = text.length - last.length
  if (final > 0) return final
  return text.length > maxHeldCharacters ? text.length : 0
}

/** Cuts held text inside; a high surrogate is never left without its other half, because segments do not cut there. */
function divideHeld(held: Held, characters: number): readonly [Held, Held] {
  const { hint, held: half, joins, ...shared } = held.delta
  const headText = held.delta.text.slice(0, characters)
  const points = Array.from(headText).length
  const head: TextDelta = { ...shared, ...(joins === undefined ? {} : { joins }), text: headText }
  const { meta, ...unnamed } = shared
  const { id: _id, ...rest } = meta ?? {}
  const tail: TextDelta = {
    ...unnamed,
    ...(Object.keys(rest).length === 0 ? {} : { meta: rest }),
    text: held.delta.text.slice(characters),
    position: held.delta.position + points,
    ...(hint === undefined ? {} : { hint }),
    ...(half === undefined ? {} : { held: half }),
  }
  const before: HeldPiece[] = []
  const after: HeldPiece[] = []
  let left = points
  for (const piece of held.pieces) {
    if (left >= piece.units) before.push(piece)
    else if (left <= 0) after.push(piece)
    else {
      before.push({ ...piece, units: left, isLast: false })
      after.push({ ...piece, from: piece.from + left, units: piece.units - left })
    }
    left -= piece.units
  }
  return [
    { ...held, delta: head, pieces: before },
    { ...held, delta: tail, pieces: after },
  ]
}

/** A part of an entry that leaves without its text. */
function toPart(entry: Entry, events: readonly SluiceEvent[], from: number, isLast: boolean): Joined {
  const total = events.reduce((sum, event) => sum + unitsOf(event), from)
  const end: Cursor = isLast ? { seq: entry.seq } : { seq: entry.seq, units: total }
  const place = (cursor: Cursor): Cursor => (cursor.units === undefined ? end : cursor)
  return { entry: { ...withoutRaw(entry), events }, part: { from, place } }
}

function toJoined(held: Held): Joined {
  const { pieces, entry, delta } = held
  const [first] = pieces
  const last = pieces.at(-1)
  if (first === undefined || last === undefined) return { entry, part: undefined }
  const place = (cursor: Cursor): Cursor => {
    if (cursor.units === undefined) return endOf(last)
    return {
      ...placeOf(pieces, cursor.units),
      ...(cursor.frames === undefined ? {} : { frames: cursor.frames }),
    }
  }
  return { entry: { ...withoutRaw(entry), seq: last.seq, events: [delta] }, part: { from: 0, place } }
}

/** The place in the log after `units` units of a joined text. */
function placeOf(pieces: readonly HeldPiece[], units: number): Cursor {
  let left = units
  for (const piece of pieces) {
    if (left < piece.units) return { seq: piece.seq, units: piece.from + left }
    if (left === piece.units) return endOf(piece)
    left -= piece.units
  }
  const last = pieces.at(-1)
  return last === undefined ? { seq: -1 } : endOf(last)
}

function endOf(piece: HeldPiece): Cursor {
  return piece.isLast ? { seq: piece.seq } : { seq: piece.seq, units: piece.from + piece.units }
}

function withoutRaw(entry: Entry): Entry {
  const { raw: _raw, ...rest } = entry
  return { ...rest, clean: false }
}
