import { cleanFrameOf, type LogRecord } from '@sluice/log'
import type { Batch, Encoding } from './batch.ts'
import { type Position, parkPosition } from './position.ts'
import type { WireFormat } from './wire-format.ts'

/** Frames that are sent as they came in all contain this text, which may be empty. */
export type CopiedText = Buffer

interface Copying {
  readonly start: Position
  readonly text: CopiedText
  readonly maxBytes: number
}

interface Piece {
  readonly head: string
  readonly record: Buffer
  readonly start: number
  readonly end: number
  readonly tail: string
}

/** The text of the frames that can be copied from this position on; undefined if none can. */
export function copiedTextAt(
  { spec }: Encoding,
  { encoder, held, delivered }: Position,
): CopiedText | undefined {
  if (spec.coalescing !== undefined || held !== undefined || delivered !== undefined) return undefined
  const text = spec.encoder.copying?.(encoder)
  return text === undefined ? undefined : Buffer.from(text)
}

/**
 * The frames of records as they came in, up to the first one that cannot be copied, in batches of about `maxBytes`.
 * Equals what the encoder would write, without reading more than the bytes of the frames. The positions after them
 * are parked.
 */
export function* copyRecords(
  { spec, format }: Encoding,
  records: readonly LogRecord[],
  { start, text, maxBytes }: Copying,
): Generator<Batch> {
  let first = start
  let pieces: Piece[] = []
  let bytes = 0
  let seq = start.seq
  const cut = (): Batch => {
    const end = parkPosition({ ...start, seq })
    const batch = { start: first, end, bytes: packPieces(format, pieces, bytes), frames: pieces.length }
    first = end
    pieces = []
    bytes = 0
    return batch
  }
  for (const { seq: next, bytes: stored } of records) {
    const frame = cleanFrameOf(stored, spec.dialect)
    const record = toBuffer(stored)
    if (frame === undefined || !contains(record, frame, text)) break
    const size = frame.end - frame.start
    if (bytes > 0 && bytes + size > maxBytes) yield cut()
    const { before, after } = format.around(String(next))
    const head = pieces.length === 0 ? before : format.separator + before
    pieces.push({ head, record, start: frame.start, end: frame.end, tail: after })
    bytes += head.length + size + after.length
    seq = next
  }
  if (pieces.length > 0) yield cut()
}

function packPieces(format: WireFormat, pieces: readonly Piece[], bytes: number): Buffer {
  const { head, tail } = format.enclose(bytes)
  const packed = Buffer.allocUnsafe(head.length + bytes + tail.length)
  let at = packed.write(head, 'latin1')
  for (const piece of pieces) {
    at += packed.write(piece.head, at, 'latin1')
    at += piece.record.copy(packed, at, piece.start, piece.end)
    at += packed.write(piece.tail, at, 'latin1')
  }
  packed.write(tail, at, 'latin1')
  return packed
}

function contains(record: Buffer, { start, end }: Pick<Piece, 'start' | 'end'>, text: CopiedText): boolean {
  const at = record.indexOf(text, start)
  return at >= 0 && at + text.length <= end
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
