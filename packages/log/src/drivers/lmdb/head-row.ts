import type { SessionHead } from '../../log.ts'
import { sessionKey } from './keys.ts'
import { damagedRow } from './row-place.ts'
import type { StoreReader } from './store.ts'

/** The last chunk of a session, which the next regroup may extend. */
export interface LastChunk {
  readonly firstSeq: number
  readonly bytes: number
}

/** What the table `heads` keeps of a session. */
export interface HeadRow {
  readonly head: SessionHead
  readonly lastChunk: LastChunk | undefined
}

export function encodeHeadRow({ head, lastChunk }: HeadRow): Buffer {
  const { session: _, ...rest } = head
  return Buffer.from(JSON.stringify({ ...rest, lastChunk }), 'utf8')
}

/** Throws SyntaxError when the bytes are not JSON. */
export function decodeHeadRow(session: string, bytes: Buffer): HeadRow {
  const row = JSON.parse(bytes.toString('utf8')) as Omit<SessionHead, 'session'> & { lastChunk?: LastChunk } // from encodeHeadRow()
  const { lastChunk, endedAt, producers, ...rest } = row
  const ownProducers: SessionHead['producers'] = Object.assign(Object.create(null), producers)
  return { head: { session, ...rest, endedAt, producers: ownProducers }, lastChunk }
}

/** Throws `damaged_data`. */
export function readHeadRow(store: StoreReader, session: string): HeadRow | undefined {
  const key = sessionKey(session)
  const bytes = store.get('heads', key)
  if (bytes === undefined) return undefined
  try {
    return decodeHeadRow(session, bytes)
  } catch {
    throw damagedRow('heads', key)
  }
}
