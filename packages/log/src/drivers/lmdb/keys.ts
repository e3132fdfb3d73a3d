import { SluiceError } from '@sluice/protocol'
import type { ListPlace } from '../../log.ts'

/** From `start` up to `end`, in reverse down to `end`; `start` is included, `end` is not. */
export interface KeyRange {
  readonly start: Buffer
  readonly end: Buffer
  readonly reverse?: boolean
  readonly limit?: number
}

// LMDB takes keys of up to 1978 bytes; the longest here has a session, a name, and eleven bytes.
const maxNameBytes = 960
const numberBytes = 8
// No text in UTF-8 and no number used here begins with it.
const afterAll = Buffer.from([0xff])

export const everyKey: KeyRange = { start: Buffer.from([0]), end: afterAll }

/** The bytes of a session's id or of a mark's name. Throws `bad_request` when a key cannot hold it. */
export function nameBytes(name: string): Buffer {
  const bytes = Buffer.from(name, 'utf8')
  if (bytes.length > 0 && bytes.length <= maxNameBytes) return bytes
  throw new SluiceError('bad_request', {
    message: `A session id or a mark's name has between 1 and ${maxNameBytes} bytes.`,
  })
}

/** Of the tables `heads` and `deleted`. */
export function sessionKey(session: string): Buffer {
  return nameBytes(session)
}

/** Of the tables `records` and `checkpoints`: a session and a seq, in the order of the seqs. */
export function seqKey(session: string, seq: number): Buffer {
  return withNumber(sessionPrefix(session), seq)
}

export function readSeqKey(key: Buffer): { session: string; seq: number } {
  return { session: readSession(key), seq: key.readDoubleBE(key.length - numberBytes) }
}

/** Of the table `marks`. */
export function markKey(session: string, name: string): Buffer {
  return Buffer.concat([sessionPrefix(session), nameBytes(name)])
}

export function readMarkKey(key: Buffer): { session: string; name: string } {
  return { session: readSession(key), name: key.toString('utf8', 2 + key.readUInt16BE(0)) }
}

/** All rows of a session in `records`, `checkpoints` or `marks`. */
export function sessionRange(session: string): KeyRange {
  const start = sessionPrefix(session)
  return { start, end: Buffer.concat([start, afterAll]) }
}

/** From the row of `seq` down to the session's first. */
export function seqRangeDown(session: string, seq: number): KeyRange {
  return { start: seqKey(session, seq), end: sessionPrefix(session), reverse: true }
}

/** Of the tables `order` and `ended`: a time and a session. */
export function placeKey(time: number, session: string): Buffer {
  const key = Buffer.alloc(numberBytes)
  key.writeDoubleBE(time)
  return Buffer.concat([key, nameBytes(session)])
}

export function readPlaceKey(key: Buffer): ListPlace {
  return { createdAt: key.readDoubleBE(0), session: key.toString('utf8', numberBytes) }
}

// A length in front keeps the rows of one session together whatever its id holds.
function sessionPrefix(session: string): Buffer {
  const bytes = nameBytes(session)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function readSession(key: Buffer): string {
  return key.toString('utf8', 2, 2 + key.readUInt16BE(0))
}

// The bytes of doubles from 0 on sort as their numbers do.
function withNumber(prefix: Buffer, number: number): Buffer {
  const key = Buffer.alloc(prefix.length + numberBytes)
  prefix.copy(key)
  key.writeDoubleBE(Math.max(0, number), prefix.length)
  return key
}
