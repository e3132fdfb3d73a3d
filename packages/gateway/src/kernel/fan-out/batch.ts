import type { Entry, OutFrame } from '@sluice/protocol'
import { type Position, type Stepped, stepEntry, type ViewSpec } from './position.ts'
import { packText, type WireFormat } from './wire-format.ts'

/** What decides the bytes of a view. */
export interface Encoding {
  readonly spec: ViewSpec
  readonly format: WireFormat
}

/** Bytes ready to be sent, and the positions before and after them. */
export interface Batch {
  readonly start: Position
  readonly end: Position
  readonly bytes: Buffer
  readonly frames: number
}

/** Encodes frames as the bytes of one batch. */
export function toBytes(format: WireFormat, frames: readonly OutFrame[]): Buffer {
  let text = ''
  for (const frame of frames)
    text += text === '' ? format.format(frame) : format.separator + format.format(frame)
  return text === '' ? noBytes : packText(format, text)
}

const noBytes = Buffer.alloc(0)

/**
 * Encodes entries into batches of about `maxBytes`, cut between entries; an entry larger than that is its own
 * batch. Entries without a frame extend the last batch, or make an empty one.
 */
export function encodeEntries(
  { spec, format }: Encoding,
  entries: readonly Entry[],
  { start, maxBytes }: { readonly start: Position; readonly maxBytes: number },
): readonly Batch[] {
  const batches: Batch[] = []
  let first = start
  let position = start
  let text = ''
  let frames = 0
  const cut = (): void => {
    if (first === position) return
    batches.push({
      start: first,
      end: position,
      bytes: text === '' ? noBytes : packText(format, text),
      frames,
    })
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
    // The number of UTF-16 units is a lower bound of the bytes, which is close enough.
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
