import type { Entry } from '@sluice/protocol'

/*
 * A record is an entry: what was received as it came, and the rest as JSON, behind a short head:
 *
 *   u8 version · u8 flags · u32 bytes of raw · u8 bytes of via · via · raw · JSON of the other fields
 */
const version = 1
const fixedHeadBytes = 7
const hasRaw = 1

/** What is kept of an entry besides the entry. */
export interface RecordNotes {
  /** The decoder that made the entry, where reading `raw` again would not bring that decoder to the same state. */
  readonly via?: string
}

const maxViaBytes = 255

export function encodeRecord(entry: Entry, notes: RecordNotes = {}): Uint8Array {
  const { seq, at, source, direction, raw, clean, events, diagnostics } = entry
  const found = diagnostics.length === 0 ? '[]' : JSON.stringify(diagnostics)
  const rest =
    `{"seq":${seq},"at":${at},"source":${JSON.stringify(source)},"direction":"${direction}",` +
    `"clean":${clean},"events":${JSON.stringify(events)},"diagnostics":${found}}`
  const via = notes.via === undefined ? '' : cutUtf8(notes.via, maxViaBytes)
  const viaBytes = Buffer.byteLength(via)
  const rawBytes = raw === undefined ? 0 : Buffer.byteLength(raw)
  const restBytes = Buffer.byteLength(rest)
  const rawAt = fixedHeadBytes + viaBytes
  const bytes = Buffer.allocUnsafe(rawAt + rawBytes + restBytes)
  bytes[0] = version
  bytes[1] = raw === undefined ? 0 : hasRaw
  bytes.writeUInt32LE(rawBytes, 2)
  bytes[6] = viaBytes
  if (viaBytes > 0) bytes.write(via, fixedHeadBytes)
  if (raw !== undefined) bytes.write(raw, rawAt, encodingOf(raw, rawBytes))
  bytes.write(rest, rawAt + rawBytes, encodingOf(rest, restBytes))
  return bytes
}

/** The entry of a record. */
export function decodeRecord(record: Uint8Array): Entry {
  const bytes = toBuffer(record)
  const rawAt = fixedHeadBytes + (bytes[6] ?? 0)
  const restAt = rawAt + bytes.readUInt32LE(2)
  const rest = JSON.parse(bytes.toString('utf8', restAt)) as Omit<Entry, 'raw'> // written by encodeRecord()
  if (bytes[1] !== hasRaw) return rest
  const { seq, at, source, direction, clean, events, diagnostics } = rest
  const raw = bytes.toString('utf8', rawAt, restAt)
  return { seq, at, source, direction, raw, clean, events, diagnostics }
}

export function recordNotes(record: Uint8Array): RecordNotes {
  const bytes = toBuffer(record)
  const length = bytes[6] ?? 0
  return length === 0 ? {} : { via: bytes.toString('utf8', fixedHeadBytes, fixedHeadBytes + length) }
}

/** A text with as many bytes as characters is ASCII, which is written faster as Latin-1. */
function encodingOf(text: string, bytes: number): BufferEncoding {
  return text.length === bytes ? 'latin1' : 'utf8'
}

function cutUtf8(text: string, maxBytes: number): string {
  return Buffer.byteLength(text) <= maxBytes ? text : Buffer.from(text).toString('utf8', 0, maxBytes - 4)
}

function toBuffer(record: Uint8Array): Buffer {
  if (record[0] !== version) throw new TypeError(`a record of version ${record[0]} cannot be read`)
  return Buffer.isBuffer(record) ? record : Buffer.from(record.buffer, record.byteOffset, record.byteLength)
}
