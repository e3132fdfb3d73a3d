import { crc32 } from 'node:zlib'
import type { LogRecord } from '../../log.ts'
import type { ChunkPiece } from './commit-chunk.ts'
import { damagedRecord } from './damage.ts'
import { seqKey } from './keys.ts'
import { rowSeed } from './seal.ts'

/*
 * Consecutive records of one session. The key of the chunk has the number of the first record. A chunk of
 * version 2 has a check of its head, and one of every 16 records; version 3 says that these records were lost:
 *
 *   u8 1 · u32 records · { u32 bytes of a record } · { record }
 *   u8 2 · u32 records · u32 check · { u32 check of a block } · { u32 bytes of a record } · { record }
 *   u8 3 · u32 records · u32 check
 *
 * The check of a head is the CRC-32 of everything before the records except itself, seeded with that of the
 * key.
 */
const uncheckedVersion = 1
const version = 2
const lostVersion = 3
const uncheckedHeadBytes = 5
const checkAt = 5
const headBytes = 9
const blockRecords = 16

/** The maximum size of a chunk; only a single record may exceed it. */
const maxSessionChunkBytes = 64 * 1024

/** Records of a session in the tables. */
export interface StoredPiece extends ChunkPiece {
  readonly session: string
  /** Where the checks of its blocks begin; undefined if it has none. */
  readonly checksAt: number | undefined
  /** A repair could not save these records. */
  readonly isLost: boolean
}

/** The records of a piece from `fromSeq` on, as views of its chunk. Throws RangeError when the chunk ends early. */
export function* pieceRecords(
  { chunk, lengthsAt, count, firstSeq }: ChunkPiece,
  fromSeq = 0,
): Generator<LogRecord> {
  let at = lengthsAt + 4 * count
  for (let index = 0; index < count; index++) {
    const end = at + chunk.readUInt32LE(lengthsAt + 4 * index)
    if (end > chunk.length) throw new RangeError('the chunk ends too early')
    if (firstSeq + index >= fromSeq) yield { seq: firstSeq + index, bytes: chunk.subarray(at, end) }
    at = end
  }
}

/** The same for records in the tables. Throws `damaged_data` at the first one that cannot be read. */
export function* storedRecords(piece: StoredPiece, fromSeq = 0): Generator<LogRecord> {
  const { session, firstSeq, count } = piece
  const skipped = Math.max(0, fromSeq - firstSeq)
  if (piece.isLost) throw damagedRecord(session, firstSeq + skipped)
  let at = recordsAt(piece)
  for (let block = 0; block * blockRecords < count; block++) {
    const end = blockEnd(piece, block, at)
    if (skipped < (block + 1) * blockRecords) {
      if (!isWholeBlock(piece, block, { at, end }))
        throw damagedRecord(session, firstSeq + Math.max(skipped, block * blockRecords))
      yield* recordsOfBlock(piece, { block, from: at, skipped })
    }
    at = end
  }
}

/** Consecutive records of a piece, all readable or none. */
export interface PieceRun {
  readonly firstSeq: number
  readonly count: number
  readonly records: readonly LogRecord[] | undefined
  /** How many bytes they take. */
  readonly bytes: number
}

/** The blocks of a piece, whether they can be read or not. */
export function* runsOf(piece: StoredPiece): Generator<PieceRun> {
  const { firstSeq, count } = piece
  if (piece.isLost) {
    yield { firstSeq, count, records: undefined, bytes: 0 }
    return
  }
  let at = recordsAt(piece)
  for (let block = 0; block * blockRecords < count; block++) {
    const end = blockEnd(piece, block, at)
    const first = block * blockRecords
    const records = isWholeBlock(piece, block, { at, end })
      ? [...recordsOfBlock(piece, { block, from: at, skipped: 0 })]
      : undefined
    const size = Math.min(blockRecords, count - first)
    yield { firstSeq: firstSeq + first, count: size, records, bytes: end - at }
    at = end
  }
}

export function isWholePiece(piece: StoredPiece): boolean {
  for (const { records } of runsOf(piece)) if (records === undefined) return false
  return true
}

/** Undefined when the head of the chunk is damaged. `isChecked` refuses chunks of the version without checks. */
export function readSessionChunk(
  { session, seq }: { readonly session: string; readonly seq: number },
  chunk: Buffer,
  { isChecked = true } = {},
): StoredPiece | undefined {
  if (chunk.length < uncheckedHeadBytes) return undefined
  const kind = chunk[0]
  const count = chunk.readUInt32LE(1)
  const piece = { session, firstSeq: seq, count, chunk, isLost: kind === lostVersion }
  if (count === 0) return undefined
  if (kind === uncheckedVersion && !isChecked) {
    const start = uncheckedHeadBytes + 4 * count
    const found = { ...piece, checksAt: undefined, lengthsAt: uncheckedHeadBytes }
    return start <= chunk.length && endOf(found) <= chunk.length ? found : undefined
  }
  const lengthsAt = kind === version ? headBytes + 4 * Math.ceil(count / blockRecords) : headBytes
  const end = kind === version ? lengthsAt + 4 * count : headBytes
  if ((kind !== version && kind !== lostVersion) || end > chunk.length) return undefined
  if (headCheck(session, seq, chunk.subarray(0, end)) !== chunk.readUInt32LE(checkAt)) return undefined
  return { ...piece, checksAt: headBytes, lengthsAt }
}

/** The chunk that stands for records that were lost. */
export function encodeLostChunk(session: string, firstSeq: number, count: number): Buffer {
  const bytes = Buffer.alloc(headBytes)
  bytes[0] = lostVersion
  bytes.writeUInt32LE(count, 1)
  bytes.writeUInt32LE(headCheck(session, firstSeq, bytes), checkAt)
  return bytes
}

export interface SessionChunk {
  readonly firstSeq: number
  readonly bytes: Buffer
}

/** Records `firstIndex` to `endIndex` of a piece, which are the bytes `start` to `end` of its chunk. */
interface Span {
  readonly piece: ChunkPiece
  readonly firstIndex: number
  readonly start: number
  endIndex: number
  end: number
}

/** Cuts the records of consecutive pieces of a session into chunks. */
export function* encodeSessionChunks(session: string, pieces: Iterable<ChunkPiece>): Generator<SessionChunk> {
  let spans: Span[] = []
  let count = 0
  let size = 0
  for (const piece of pieces) {
    let span: Span | undefined
    let at = piece.lengthsAt + 4 * piece.count
    for (let index = 0; index < piece.count; index++) {
      const length = piece.chunk.readUInt32LE(piece.lengthsAt + 4 * index)
      if (count > 0 && headSize(count + 1) + size + length > maxSessionChunkBytes) {
        yield joinSpans(session, spans, { count, size })
        spans = []
        span = undefined
        count = 0
        size = 0
      }
      if (span === undefined) {
        span = { piece, firstIndex: index, start: at, endIndex: index, end: at }
        spans.push(span)
      }
      at += length
      span.endIndex = index + 1
      span.end = at
      count += 1
      size += length
    }
  }
  if (count > 0) yield joinSpans(session, spans, { count, size })
}

function headSize(count: number): number {
  return headBytes + 4 * Math.ceil(count / blockRecords) + 4 * count
}

function joinSpans(
  session: string,
  spans: readonly Span[],
  { count, size }: { readonly count: number; readonly size: number },
): SessionChunk {
  const recordsStart = headSize(count)
  const bytes = Buffer.allocUnsafeSlow(recordsStart + size)
  bytes[0] = version
  bytes.writeUInt32LE(count, 1)
  const lengthsAt = recordsStart - 4 * count
  let at = lengthsAt
  for (const { piece, firstIndex, endIndex } of spans) {
    at += piece.chunk.copy(bytes, at, piece.lengthsAt + 4 * firstIndex, piece.lengthsAt + 4 * endIndex)
  }
  for (const { piece, start, end } of spans) at += piece.chunk.copy(bytes, at, start, end)
  const first = spans[0]
  const firstSeq = first === undefined ? 0 : first.piece.firstSeq + first.firstIndex
  const whole = { firstSeq, count, chunk: bytes, lengthsAt }
  at = recordsStart
  for (let block = 0; block * blockRecords < count; block++) {
    const end = blockEnd(whole, block, at)
    bytes.writeUInt32LE(crc32(bytes.subarray(at, end)), headBytes + 4 * block)
    at = end
  }
  bytes.writeUInt32LE(headCheck(session, firstSeq, bytes.subarray(0, recordsStart)), checkAt)
  return { firstSeq, bytes }
}

function headCheck(session: string, seq: number, head: Buffer): number {
  const start = crc32(head.subarray(0, checkAt), rowSeed('records', seqKey(session, seq)))
  return head.length === headBytes ? start : crc32(head.subarray(headBytes), start)
}

function recordsAt({ lengthsAt, count }: ChunkPiece): number {
  return lengthsAt + 4 * count
}

function endOf(piece: ChunkPiece): number {
  let end = recordsAt(piece)
  for (let index = 0; index < piece.count; index++)
    end += piece.chunk.readUInt32LE(piece.lengthsAt + 4 * index)
  return end
}

function blockEnd({ chunk, lengthsAt, count }: ChunkPiece, block: number, at: number): number {
  let end = at
  const last = Math.min(count, (block + 1) * blockRecords)
  for (let index = block * blockRecords; index < last; index++)
    end += chunk.readUInt32LE(lengthsAt + 4 * index)
  return end
}

function isWholeBlock(
  { chunk, checksAt }: StoredPiece,
  block: number,
  { at, end }: { readonly at: number; readonly end: number },
): boolean {
  if (end > chunk.length) return false
  return checksAt === undefined || crc32(chunk.subarray(at, end)) === chunk.readUInt32LE(checksAt + 4 * block)
}

function* recordsOfBlock(
  piece: ChunkPiece,
  { block, from, skipped }: { readonly block: number; readonly from: number; readonly skipped: number },
): Generator<LogRecord> {
  const { chunk, lengthsAt, count, firstSeq } = piece
  let at = from
  for (let index = block * blockRecords; index < Math.min(count, (block + 1) * blockRecords); index++) {
    const end = at + chunk.readUInt32LE(lengthsAt + 4 * index)
    if (index >= skipped) yield { seq: firstSeq + index, bytes: chunk.subarray(at, end) }
    at = end
  }
}
