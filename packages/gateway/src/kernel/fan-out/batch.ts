import type { Entry, OutFrame } from '@sluice/protocol'
import { type Position, type Stepped, stepEntry, type ViewSpec } from './position.ts'
import type { WireFormat } from './wire-format.ts'

/** Bytes ready to be sent, and the positions before and after them. */
export interface Batch {
  readonly start: Position
  readonly end: Position
  readonly bytes: Buffer
  readonly frames: number
  /** It cannot be made again from its start. */
  readonly isUnique?: true
}

/** Writes frames one behind the other. */
export function toBytes(format: WireFormat, frames: readonly OutFrame[]): Buffer {
  let text = ''
  for (const frame of frames)
    text += text === '' ? format.format(frame) : format.separator + format.format(frame)
  return text === '' ? noBytes : format.pack(text)
}

const noBytes = Buffer.alloc(0)

/**
 * Encodes entries into batches of about `maxBytes`, cut between entries; an entry with more than that is a batch of its
 * own. Entries without a frame move the last batch on, or make an empty one.
 */
export function encodeEntries(
  spec: ViewSpec,
  format: WireFormat,
  start: Position,
  entries: readonly Entry[],
  maxBytes: number,
): readonly Batch[] {
  const batches: Batch[] = []
  let first = start
  let position = start
  let text = ''
  let frames = 0
  const cut = (): void => {
    if (first === position) return
    batches.push({ start: first, end: position, bytes: text === '' ? noBytes : format.pack(text), frames })
    first = position
    text = ''
    frames = 0
  }
  for (const entry of entries) {
    const stepped: Stepped = stepEntry(spec, position, entry)
    let added = ''
    for (const frame of stepped.frames) {
      const written = format.format(frame)
      added += added === '' && text === '' ? written : format.separator + written
    }
    // UTF-16 units bound the bytes from below, which is near enough: a batch is a little larger at most.
    if (text !== '' && text.length + added.length > maxBytes) {
      cut()
      added = format.separator === '' ? added : added.slice(format.separator.length)
    }
    text += added
    frames += stepped.frames.length
    position = stepped.position
  }
  cut()
  return batches
}
