import type { JsonObject, JsonValue } from '@sluice/protocol'
import type { ProducerMark } from '../../log.ts'

/*
 * What one commit made durable. Numbers are little-endian, the appends follow one another:
 *
 *   u8 version · { append }
 *   append: u8 flags · u16 bytes of the session · u32 bytes of extra · u32 records · f64 first seq · f64 at
 *           session · extra (JSON) · { u32 bytes of a record } · { record }
 */
const version = 1
const fixedBytes = 27
const ends = 1

/** What an append carries besides its records, as it is stored. */
export interface AppendExtra {
  readonly producers?: Readonly<Record<string, ProducerMark>>
  readonly info?: JsonObject
  readonly marks?: Readonly<Record<string, JsonValue>>
}

export interface ChunkAppend {
  readonly sessionBytes: Uint8Array
  readonly firstSeq: number
  readonly at: number
  readonly ends: boolean
  /** From encodeExtra(). */
  readonly extra: Uint8Array | undefined
  readonly records: readonly Uint8Array[]
  /** From appendBytes(). */
  readonly size: number
}

/** Records that lie in one chunk: its bytes, where the table of their lengths begins, and how many there are. */
export interface ChunkPiece {
  readonly firstSeq: number
  readonly count: number
  readonly chunk: Buffer
  readonly lengthsAt: number
}

export interface ReadAppend {
  readonly session: string
  readonly at: number
  readonly ends: boolean
  readonly extra: AppendExtra | undefined
  readonly piece: ChunkPiece
}

export interface CommitChunk {
  readonly bytes: Buffer
  /** One for each append, in their order. */
  readonly pieces: readonly ChunkPiece[]
}

export function encodeExtra({ producers, info, marks }: AppendExtra): Uint8Array | undefined {
  if (producers === undefined && info === undefined && marks === undefined) return undefined
  return Buffer.from(JSON.stringify({ producers, info, marks }), 'utf8')
}

export interface AppendSizes {
  readonly sessionBytes: Uint8Array
  readonly extra: Uint8Array | undefined
  /** The number of records, and their bytes together. */
  readonly count: number
  readonly recordBytes: number
}

/** The bytes of an append in a chunk. */
export function appendBytes({ sessionBytes, extra, count, recordBytes }: AppendSizes): number {
  return fixedBytes + sessionBytes.length + (extra?.length ?? 0) + 4 * count + recordBytes
}

/** Leaves `headBytes` free in front of the chunk. */
export function encodeCommitChunk(appends: readonly ChunkAppend[], headBytes = 0): CommitChunk {
  let size = headBytes + 1
  for (const append of appends) size += append.size
  const bytes = Buffer.allocUnsafeSlow(size)
  const pieces: ChunkPiece[] = []
  let at = bytes.writeUInt8(version, headBytes)
  for (const append of appends) {
    const { sessionBytes, records, firstSeq, extra } = append
    bytes[at] = append.ends ? ends : 0
    bytes.writeUInt16LE(sessionBytes.length, at + 1)
    bytes.writeUInt32LE(extra?.length ?? 0, at + 3)
    bytes.writeUInt32LE(records.length, at + 7)
    bytes.writeDoubleLE(firstSeq, at + 11)
    bytes.writeDoubleLE(append.at, at + 19)
    at += fixedBytes
    bytes.set(sessionBytes, at)
    at += sessionBytes.length
    if (extra !== undefined) {
      bytes.set(extra, at)
      at += extra.length
    }
    pieces.push({ firstSeq, count: records.length, chunk: bytes, lengthsAt: at })
    for (const record of records) at = bytes.writeUInt32LE(record.length, at)
    for (const record of records) {
      bytes.set(record, at)
      at += record.length
    }
  }
  return { bytes, pieces }
}

/** Throws RangeError when the bytes end too early. */
export function* readCommitChunk(bytes: Buffer): Generator<ReadAppend> {
  if (bytes.readUInt8(0) !== version) throw new RangeError(`a chunk of version ${bytes[0]} cannot be read`)
  let at = 1
  while (at < bytes.length) {
    const flags = bytes.readUInt8(at)
    const sessionEnd = at + fixedBytes + bytes.readUInt16LE(at + 1)
    const lengthsAt = sessionEnd + bytes.readUInt32LE(at + 3)
    const count = bytes.readUInt32LE(at + 7)
    let next = lengthsAt + 4 * count
    for (let index = 0; index < count; index++) next += bytes.readUInt32LE(lengthsAt + 4 * index)
    if (next > bytes.length) throw new RangeError('the chunk ends too early')
    const extra = lengthsAt === sessionEnd ? undefined : bytes.toString('utf8', sessionEnd, lengthsAt)
    yield {
      session: bytes.toString('utf8', at + fixedBytes, sessionEnd),
      at: bytes.readDoubleLE(at + 19),
      ends: (flags & ends) !== 0,
      extra: extra === undefined ? undefined : (JSON.parse(extra) as AppendExtra), // from encodeExtra()
      piece: { firstSeq: bytes.readDoubleLE(at + 11), count, chunk: bytes, lengthsAt },
    }
    at = next
  }
}
