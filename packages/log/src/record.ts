import type { Entry } from '@sluice/protocol'
import { damagedRecord } from './drivers/lmdb/damage.ts'
import type { LogRecord } from './log.ts'

/*
 * A record is an entry: a short head, the received text unchanged, and the other fields as JSON:
 *
 *   u8 version · u8 flags · u32 bytes of raw · u8 bytes to skip, 0 · raw · JSON of the other fields
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
  const rawAt = fixedHeadBytes
  const bytes = Buffer.allocUnsafe(rawAt + rawBytes + restBytes)
  bytes[0] = version
  bytes[1] = raw === undefined ? 0 : hasRaw
  bytes.writeUInt32LE(rawBytes, 2)
  bytes[6] = 0
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

/** The entry of a record of a session. Throws `damaged_data`. */
export function decodeEntry(session: string, { seq, bytes }: LogRecord): Entry {
  try {
    return decodeRecord(bytes)
  } catch {
    throw damagedRecord(session, seq)
  }
}

/** A text with as many bytes as characters is ASCII, which is written faster as Latin-1. */
function encodingOf(text: string, bytes: number): BufferEncoding {
  return text.length === bytes ? 'latin1' : 'utf8'
}

function toBuffer(record: Uint8Array): Buffer {
  if (record[0] !== version) throw new TypeError(`a record of version ${record[0]} cannot be read`)
  return Buffer.isBuffer(record) ? record : Buffer.from(record.buffer, record.byteOffset, record.byteLength)
}
