import type { Entry } from '@sluice/protocol'

/*
 * A record is the JSON text of an entry behind a short head:
 *
 *   u8 version · u8 flags · u32 where the JSON string of `raw` begins · u32 where it ends · u8 length of via · via
 *
 * so that a view which hands frames on as they came need not parse the rest. Offsets count bytes from the start of the
 * JSON text; both are 0 for an entry without raw.
 */
const version = 1
const fixedHeadBytes = 11
const copyable = 1

/** What is kept of an entry besides the entry. */
export interface RecordNotes {
  /** The decoder that made the entry, where reading `raw` again would not bring that decoder to the same state. */
  readonly via?: string
}

export function encodeRecord(entry: Entry, notes: RecordNotes = {}): Uint8Array {
  const { seq, at, source, direction, raw, clean } = entry
  const before = `{"seq":${seq},"at":${at},"source":${JSON.stringify(source)},"direction":"${direction}"`
  const rawText = raw === undefined ? '' : JSON.stringify(raw)
  const between = raw === undefined ? before : `${before},"raw":`
  const after = `,"clean":${clean},"events":${JSON.stringify(entry.events)},"diagnostics":${JSON.stringify(entry.diagnostics)}}`
  const via = Buffer.from(notes.via ?? '', 'utf8').subarray(0, 255)
  const rawStart = Buffer.byteLength(between)
  const rawBytes = Buffer.byteLength(rawText)
  const headBytes = fixedHeadBytes + via.length
  const bytes = Buffer.allocUnsafe(headBytes + rawStart + rawBytes + Buffer.byteLength(after))
  bytes[0] = version
  bytes[1] = clean && raw !== undefined ? copyable : 0
  bytes.writeUInt32LE(raw === undefined ? 0 : rawStart, 2)
  bytes.writeUInt32LE(raw === undefined ? 0 : rawStart + rawBytes, 6)
  bytes[10] = via.length
  via.copy(bytes, fixedHeadBytes)
  bytes.write(between, headBytes)
  bytes.write(rawText, headBytes + rawStart)
  bytes.write(after, headBytes + rawStart + rawBytes)
  return bytes
}

/** The entry of a record. */
export function decodeRecord(record: Uint8Array): Entry {
  return JSON.parse(entryText(record)) as Entry // written by encodeRecord()
}

/** The JSON text of the entry, as bytes. */
export function entryBytes(record: Uint8Array): Buffer {
  const bytes = toBuffer(record)
  assertVersion(bytes)
  return bytes.subarray(headBytesOf(bytes))
}

/** The received text of an entry that may be handed on as it is, else undefined. */
export function copyableRaw(record: Uint8Array): string | undefined {
  const bytes = toBuffer(record)
  assertVersion(bytes)
  if ((bytes[1] ?? 0) !== copyable) return undefined
  const head = headBytesOf(bytes)
  const text = bytes.toString('utf8', head + bytes.readUInt32LE(2), head + bytes.readUInt32LE(6))
  return JSON.parse(text) as string // encodeRecord() put a JSON string there
}

export function recordNotes(record: Uint8Array): RecordNotes {
  const bytes = toBuffer(record)
  assertVersion(bytes)
  const length = bytes[10] ?? 0
  return length === 0 ? {} : { via: bytes.toString('utf8', fixedHeadBytes, fixedHeadBytes + length) }
}

function entryText(record: Uint8Array): string {
  return entryBytes(record).toString('utf8')
}

function headBytesOf(bytes: Buffer): number {
  return fixedHeadBytes + (bytes[10] ?? 0)
}

function assertVersion(bytes: Buffer): void {
  if (bytes[0] !== version) throw new TypeError(`a record of version ${bytes[0]} cannot be read`)
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
