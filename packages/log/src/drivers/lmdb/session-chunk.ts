import type { LogRecord } from '../../log.ts'
import type { ChunkPiece } from './commit-chunk.ts'

/*
 * Consecutive records of one session. The key of the chunk has the number of the first record:
 *
 *   u8 version · u32 records · { u32 bytes of a record } · { record }
 */
const version = 1
const fixedBytes = 5

/** The maximum size of a chunk; only a single record may exceed it. */
const maxSessionChunkBytes = 64 * 1024

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

/** Throws RangeError when the bytes are not a chunk. */
export function readSessionChunk(firstSeq: number, chunk: Buffer): ChunkPiece {
  if (chunk.readUInt8(0) !== version) throw new RangeError(`a chunk of version ${chunk[0]} cannot be read`)
  const count = chunk.readUInt32LE(1)
  if (count === 0 || fixedBytes + 4 * count > chunk.length) throw new RangeError('the chunk ends too early')
  return { firstSeq, count, chunk, lengthsAt: fixedBytes }
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

/** Cuts the records of consecutive pieces into chunks. */
export function* encodeSessionChunks(pieces: Iterable<ChunkPiece>): Generator<SessionChunk> {
  let spans: Span[] = []
  let count = 0
  let size = fixedBytes
  for (const piece of pieces) {
    let span: Span | undefined
    let at = piece.lengthsAt + 4 * piece.count
    for (let index = 0; index < piece.count; index++) {
      const length = piece.chunk.readUInt32LE(piece.lengthsAt + 4 * index)
      if (count > 0 && size + 4 + length > maxSessionChunkBytes) {
        yield joinSpans(spans, count, size)
        spans = []
        span = undefined
        count = 0
        size = fixedBytes
      }
      if (span === undefined) {
        span = { piece, firstIndex: index, start: at, endIndex: index, end: at }
        spans.push(span)
      }
      at += length
      span.endIndex = index + 1
      span.end = at
      count += 1
      size += 4 + length
    }
  }
  if (count > 0) yield joinSpans(spans, count, size)
}

function joinSpans(spans: readonly Span[], count: number, size: number): SessionChunk {
  const bytes = Buffer.allocUnsafeSlow(size)
  bytes[0] = version
  let at = bytes.writeUInt32LE(count, 1)
  for (const { piece, firstIndex, endIndex } of spans) {
    at += piece.chunk.copy(bytes, at, piece.lengthsAt + 4 * firstIndex, piece.lengthsAt + 4 * endIndex)
  }
  for (const { piece, start, end } of spans) at += piece.chunk.copy(bytes, at, start, end)
  const first = spans[0]
  return { firstSeq: first === undefined ? 0 : first.piece.firstSeq + first.firstIndex, bytes }
}
