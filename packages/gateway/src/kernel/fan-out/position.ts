import { type Cursor, type Encoder, type Entry, isSameCursor, type OutFrame } from '@sluice/protocol'
import { findPlace, type JoinSource } from './find-place.ts'
import { type Held, heldStart, type Joined, weighHeld } from './held-text.ts'
import { type Coalescing, endOfSpan, flushHeld, joinEntry } from './joiner.ts'

/** How to read a session: an encoder, and how to join text before encoding. Equal keys give equal frames. */
export interface ViewSpec {
  readonly key: string
  /** Whose frames a cursor may count; also for metrics. */
  readonly dialect: string
  readonly encoder: Encoder<unknown>
  readonly coalescing: Coalescing | undefined
}

/** How far a reader has come. Immutable: reading can continue from any position, any number of times. */
export interface Position {
  /** The last entry that was read. */
  readonly seq: number
  readonly encoder: unknown
  /** Text that was read but not sent. */
  readonly held: Held | undefined
  /** Set if the reader joined inside an event: the frames of that event up to this cursor were delivered. */
  readonly delivered: Cursor | undefined
}

export interface Stepped {
  readonly position: Position
  readonly frames: readonly OutFrame[]
}

/** The position without the state of its encoder and without held text: `restorePosition()` makes them again. */
export function parkPosition(position: Position): Position {
  const { seq, held, delivered } = position
  const isInside = held !== undefined || delivered !== undefined
  return {
    seq,
    encoder: parked,
    held: undefined,
    delivered: isInside ? cursorOf(position) : undefined,
  }
}

export function isParked({ encoder }: Position): boolean {
  return encoder === parked
}

/** In place of the state of an encoder that can be made again from the log. */
const parked = Symbol('parked')

/** The parts of a session from which a position can be made again. */
export interface RestoreSource extends JoinSource {
  read(fromSeq: number, maxBytes: number): Promise<readonly Entry[]>
}

/** Makes a parked position again from the log; undefined if the session no longer has it. */
export async function restorePosition(
  spec: ViewSpec,
  source: RestoreSource,
  { position, sliceBytes }: { readonly position: Position; readonly sliceBytes: number },
): Promise<Position | undefined> {
  const entered = await enterAt(spec, source, cursorOf(position))
  if (entered === undefined) return undefined
  let restored = entered.position
  // Text was held up to the position, so nothing of these entries is sent.
  while (restored.seq < position.seq) {
    const entries = await source.read(restored.seq + 1, sliceBytes)
    if (entries.length === 0) return undefined
    for (const entry of entries)
      if (entry.seq <= position.seq) restored = stepEntry(spec, restored, entry).position
  }
  return restored
}

/** About how many bytes of memory a position takes that nothing else shares. */
export function weighPosition({ encoder: { weigh } }: ViewSpec, { encoder, held }: Position): number {
  if (encoder === parked) return 0
  return positionBytes + (weigh?.(encoder) ?? 0) + (held === undefined ? 0 : weighHeld(held))
}

/** About the bytes of a position whose encoder keeps little. */
const positionBytes = 1024

/** The cursor from which a new reader continues as from a position. */
export function cursorOf({ seq, held, delivered }: Position): Cursor {
  if (delivered !== undefined) return delivered
  return held === undefined ? { seq } : heldStart(held)
}

/** A place at which a reader joined. */
export interface Entered {
  /** The cursor as this reader understands it. */
  readonly cursor: Cursor
  /** After the rest of the entry in which the reader joined. */
  readonly position: Position
  /** The frames of the rest of that entry. */
  readonly rest: readonly OutFrame[]
  /**
   * Writes the frames that the dialect needs for joining, before all others; they have the cursor at which the reader
   * joined. Not written in advance, because they may be large and many readers may join together.
   */
  joining(): readonly OutFrame[]
}

/** Joins a session at a cursor; undefined if there is nothing at the cursor. */
export async function enterAt(spec: ViewSpec, source: JoinSource, at: Cursor): Promise<Entered | undefined> {
  const found = await findPlace(spec.dialect, source, at)
  if (found === undefined) return undefined
  const { cursor, state, rest } = found
  // Joined text is never a copy of a frame, so a view that joins copies nothing and is the same wherever it
  // is joined.
  const seen = spec.coalescing === undefined ? state : { ...state, uniform: null }
  const joining = (): readonly OutFrame[] => spec.encoder.enter(seen, cursor).frames
  const encoder = spec.encoder.restore?.(seen) ?? spec.encoder.enter(seen, cursor).state
  const delivered = cursor.frames === undefined ? undefined : cursor
  if (rest === undefined)
    return { cursor, position: { seq: cursor.seq, encoder, held: undefined, delivered }, rest: [], joining }
  const before = { seq: cursor.seq - 1, encoder, held: undefined, delivered }
  const stepped = step(spec, before, rest)
  return { cursor, position: stepped.position, rest: stepped.frames, joining }
}

/** Reads one entry. */
export function stepEntry(spec: ViewSpec, position: Position, entry: Entry): Stepped {
  return step(spec, position, { entry, part: undefined })
}

/** When to send held text, ms since 1970; undefined if none is held, or if it waits for a boundary. */
export function heldUntil({ coalescing }: ViewSpec, { held }: Position): number | undefined {
  return coalescing === undefined || held === undefined ? undefined : endOfSpan(coalescing, held)
}

/** Sends held text. */
export function flushPosition(spec: ViewSpec, position: Position): Stepped {
  if (position.held === undefined) return { position, frames: [] }
  const { encoder, frames } = encodeJoined(spec, position.encoder, [flushHeld(position.held)])
  return toStepped(position, { seq: position.seq, encoder, held: undefined }, frames)
}

function step(spec: ViewSpec, position: Position, { entry, part }: Joined): Stepped {
  const { seq } = entry
  if (spec.coalescing === undefined) {
    const { state: encoder, frames } = spec.encoder.step(position.encoder, entry, part)
    return toStepped(position, { seq, encoder, held: undefined }, frames)
  }
  const { held, joined } = joinEntry(spec.coalescing, position.held, { entry, part })
  const { encoder, frames } = encodeJoined(spec, position.encoder, joined)
  return toStepped(position, { seq, encoder, held }, frames)
}

function toStepped(
  { delivered }: Position,
  { seq, encoder, held }: Omit<Position, 'delivered'>,
  frames: readonly OutFrame[],
): Stepped {
  if (delivered === undefined) return { position: { seq, encoder, held, delivered }, frames }
  // The event that was delivered in part is still held.
  if (held !== undefined && frames.length === 0)
    return { position: { seq, encoder, held, delivered }, frames }
  return {
    position: { seq, encoder, held, delivered: undefined },
    frames: frames.slice(countDelivered(frames, delivered)),
  }
}

/**
 * How many of the next frames were delivered before. None if there is no frame with this cursor, because another
 * version of the software cut the event differently: then all of it is sent again.
 */
export function countDelivered(frames: readonly OutFrame[], delivered: Cursor): number {
  return frames.findIndex(({ cursor }) => isSameCursor(cursor, delivered)) + 1
}

/** Encodes joined text, from a state of the encoder. */
export function encodeJoined(
  spec: ViewSpec,
  before: unknown,
  joined: readonly Joined[],
): { readonly encoder: unknown; readonly frames: readonly OutFrame[] } {
  let encoder = before
  const frames: OutFrame[] = []
  for (const { entry, part } of joined) {
    const encoded = spec.encoder.step(encoder, entry, part)
    encoder = encoded.state
    frames.push(...encoded.frames)
  }
  return { encoder, frames }
}
