import type { Entry } from '@sluice/protocol'
import { damagedRecord } from './drivers/lmdb/damage.ts'
import type { LogRecord } from './log.ts'

/*
 * A record is an entry: a short head, the received text unchanged, and the other fields as JSON:
 *
 *   u8 version · u8 flags · u32 bytes of raw · u8 bytes of the dialect · dialect · raw · JSON of the other fields
 *
 * Only a record whose raw is a clean frame has a dialect: that of the frame. Readers of this dialect can be sent raw
 * without parsing the rest.
 */
const version = 1
const fixedHeadBytes = 7
const hasRaw = 1

export function encodeRecord(entry: Entry): Uint8Array {
  const { seq, at, source, direction, raw, clean, events, diagnostics } = entry
  const found = diagnostics.length === 0 ? '[]' : JSON.stringify(diagnostics)
  const rest =
    `{"seq":${seq},"at":${at},"source":${JSON.stringify(source)},"direction":"${direction}",` +
    `"clean":${clean},"events":${JSON.stringify(events)},"diagnostics":${found}}`
  const rawBytes = raw === undefined ? 0 : Buffer.byteLength(raw)
  const restBytes = Buffer.byteLength(rest)
  const dialect = clean && raw !== undefined && isShort(source.dialect) ? source.dialect : ''
  const rawAt = fixedHeadBytes + dialect.length
  const bytes = Buffer.allocUnsafe(rawAt + rawBytes + restBytes)
  bytes[0] = version
  bytes[1] = raw === undefined ? 0 : hasRaw
  bytes.writeUInt32LE(rawBytes, 2)
  bytes[6] = dialect.length
  if (dialect !== '') bytes.write(dialect, fixedHeadBytes, 'latin1')
  if (raw !== undefined) bytes.write(raw, rawAt, encodingOf(raw, rawBytes))
  bytes.write(rest, rawAt + rawBytes, encodingOf(rest, restBytes))
  return bytes
}

/** Throws TypeError for a record of an unknown version. */
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

/** The bytes of a record that are its received frame, if it is a clean frame of this dialect. */
export function cleanFrameOf(
  record: Uint8Array,
  dialect: string,
): { readonly start: number; readonly end: number } | undefined {
  const { length } = dialect
  if (record[0] !== version || record[6] !== length || length === 0) return undefined
  for (let i = 0; i < length; i++) if (record[fixedHeadBytes + i] !== dialect.charCodeAt(i)) return undefined
  const start = fixedHeadBytes + length
  const rawBytes =
    (record[2] ?? 0) + (record[3] ?? 0) * 2 ** 8 + (record[4] ?? 0) * 2 ** 16 + (record[5] ?? 0) * 2 ** 24
  return { start, end: start + rawBytes }
}

/** The entry of a record of a session. Throws `damaged_data`. */
export function decodeEntry(session: string, { seq, bytes }: LogRecord): Entry {
  try {
    return decodeRecord(bytes)
  } catch {
    throw damagedRecord(session, seq)
  }
}

/** Whether a dialect fits into the head of a record. */
function isShort(dialect: string): boolean {
  return dialect.length < 256 && Buffer.byteLength(dialect) === dialect.length
}

/** A text with as many bytes as characters is ASCII, which is written faster as Latin-1. */
function encodingOf(text: string, bytes: number): BufferEncoding {
  return text.length === bytes ? 'latin1' : 'utf8'
}

function toBuffer(record: Uint8Array): Buffer {
  if (record[0] !== version) throw new TypeError(`a record of version ${record[0]} cannot be read`)
  return Buffer.isBuffer(record) ? record : Buffer.from(record.buffer, record.byteOffset, record.byteLength)
}
