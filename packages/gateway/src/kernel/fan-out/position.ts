import {
  type Cursor,
  divideEntry,
  type Encoder,
  type Entry,
  type EntryPart,
  type OutFrame,
  type SessionState,
  startCursor,
  unitsOf,
} from '@sluice/protocol'
import { type Held, heldStart, type Joined } from './held-text.ts'
import { type Coalescing, flushHeld, joinEntry } from './joiner.ts'

/** How a session is read: an encoder, and how text is joined before it. Equal keys give equal frames. */
export interface ViewSpec {
  readonly key: string
  /** For metrics. */
  readonly dialect: string
  readonly encoder: Encoder<unknown>
  readonly coalescing: Coalescing | undefined
}

/** How far a reader has come. Immutable: whoever has it can go on from it. */
export interface Position {
  /** The last entry taken in. */
  readonly seq: number
  readonly encoder: unknown
  /** Text that was taken in and has not left. */
  readonly held: Held | undefined
  /** So many of the next frames were delivered before: the reader joined between frames of one unit. */
  readonly skip: number
  /** The cursor of the last frame, delivered now or before. */
  readonly last: Cursor | undefined
}

export interface Stepped {
  readonly position: Position
  readonly frames: readonly OutFrame[]
}

/** Where a position stands for someone who reads from there anew. */
export function cursorOf(position: Position): Cursor {
  return position.held === undefined ? { seq: position.seq } : heldStart(position.held)
}

/** What joining a session needs of it. */
export interface JoinSource {
  readonly lastSeq: number
  stateAt(seq: number): Promise<SessionState>
  entryAt(seq: number): Promise<Entry | undefined>
}

/** Joins a session at a cursor; undefined when the cursor points to where nothing is. */
export async function enterAt(
  spec: ViewSpec,
  source: JoinSource,
  cursor: Cursor,
): Promise<Stepped | undefined> {
  if (cursor.seq > source.lastSeq) return undefined
  if (cursor.units === undefined || cursor.seq < 0) {
    const at = cursor.seq < 0 ? startCursor : cursor
    return enterBehind(spec, await source.stateAt(at.seq), at)
  }
  const entry = await source.entryAt(cursor.seq)
  const units = entry?.events.reduce((sum, event) => sum + unitsOf(event), 0) ?? 0
  if (entry === undefined || cursor.units > units) return undefined
  const { state, rest } = divideEntry(await source.stateAt(cursor.seq - 1), entry, cursor.units)
  const entered = enterBehind(spec, state, cursor)
  const stepped = step(spec, { ...entered.position, seq: entry.seq - 1 }, rest, cursor.units)
  const skip = (cursor.frames ?? 0) - stepped.frames.length
  // What is still to be skipped belongs to text that is held; otherwise the unit has no such frame.
  if (skip > 0 && stepped.position.held === undefined) return undefined
  return {
    position: { ...stepped.position, skip: Math.max(0, skip) },
    frames: [...entered.frames, ...stepped.frames.slice(cursor.frames ?? 0)],
  }
}

function enterBehind(spec: ViewSpec, state: SessionState, cursor: Cursor): Stepped {
  // Joined text is never a copy, so a view that joins is none from its start on: it reads the same from anywhere.
  const seen = spec.coalescing === undefined ? state : { ...state, uniform: null }
  const { state: encoder, frames } = spec.encoder.enter(seen, cursor)
  return { position: { seq: cursor.seq, encoder, held: undefined, skip: 0, last: undefined }, frames }
}

/** Takes in one entry. */
export function stepEntry(spec: ViewSpec, position: Position, entry: Entry): Stepped {
  return step(spec, position, entry, 0)
}

/** Lets text leave that was held. */
export function flushPosition(spec: ViewSpec, position: Position): Stepped {
  if (position.held === undefined) return { position, frames: [] }
  const { encoder, frames } = encodeJoined(spec, position, [flushHeld(position.held)])
  return toStepped(position, position.seq, encoder, undefined, frames)
}

function step(spec: ViewSpec, position: Position, entry: Entry, from: number): Stepped {
  if (spec.coalescing === undefined) {
    const part = from === 0 ? undefined : { from }
    const { state: encoder, frames } = spec.encoder.step(position.encoder, entry, part)
    return toStepped(position, entry.seq, encoder, undefined, frames)
  }
  const { held, joined } = joinEntry(spec.coalescing, position.held, entry, from)
  const { encoder, frames } = encodeJoined(spec, position, joined)
  return toStepped(position, entry.seq, encoder, held, frames)
}

function toStepped(
  before: Position,
  seq: number,
  encoder: unknown,
  held: Held | undefined,
  frames: readonly OutFrame[],
): Stepped {
  const last = frames.at(-1)?.cursor ?? before.last
  if (before.skip === 0) return { position: { seq, encoder, held, skip: 0, last }, frames }
  const skip = held === undefined ? 0 : Math.max(0, before.skip - frames.length)
  return { position: { seq, encoder, held, skip, last }, frames: frames.slice(before.skip) }
}

/** Encodes what was joined; the position itself stays where it is. */
export function encodeJoined(
  spec: ViewSpec,
  before: Position,
  joined: readonly Joined[],
): { readonly encoder: unknown; readonly frames: readonly OutFrame[] } {
  let { encoder, last } = before
  const frames: OutFrame[] = []
  for (const { entry, part } of joined) {
    const encoded = spec.encoder.step(
      encoder,
      entry,
      part === undefined ? undefined : behindOf(entry, part, last),
    )
    encoder = encoded.state
    frames.push(...encoded.frames)
    last = frames.at(-1)?.cursor ?? last
  }
  return { encoder, frames }
}

/** A part that begins where the last frame stands counts its own frames from there on. */
function behindOf(entry: Entry, part: EntryPart, last: Cursor | undefined): EntryPart {
  if (last?.frames === undefined) return part
  const inside = { seq: entry.seq, units: part.from }
  const start = part.place?.(inside) ?? inside
  return start.seq === last.seq && start.units === last.units ? { ...part, behind: last.frames } : part
}
