import type { Entry } from '@sluice/protocol'
import { decodeHeadRow, encodeHeadRow, type HeadRow } from '../../drivers/lmdb/head-row.ts'
import {
  placeKey,
  readMarkKey,
  readPlaceKey,
  readSeqKey,
  sessionKey,
  sessionRange,
} from '../../drivers/lmdb/keys.ts'
import { createSlices, type Slices } from '../../drivers/lmdb/slices.ts'
import type { Store } from '../../drivers/lmdb/store.ts'
import { type Counters, countersRow, loadTail, type Tail } from '../../drivers/lmdb/tail.ts'
import type { LogRecord, SessionHead } from '../../log.ts'
import { decodeRecord } from '../../record.ts'
import type { OnLoss } from '../log-loss.ts'
import { type LostEntries, readableRecords } from '../readable-records.ts'
import { markLost } from './mark-lost.ts'

const present = Buffer.from([1])
const partTables = ['records', 'checkpoints', 'marks'] as const

/**
 * Makes the heads, lists and counters of a store agree with its records. Marks entries that are missing as
 * lost, and makes missing heads again.
 */
export async function rebuildHeads(store: Store, onLoss: OnLoss): Promise<void> {
  const slices = createSlices(store)
  const counters: Counters = { sessions: 0, endedSessions: 0, records: 0, bytes: 0 }
  const parts: Parts = { store, slices, tail: loadTail(store, []), onLoss, createdAt: new Map() }
  const orphans = sessionsWithoutHead(store)
  for (const key of store.keys('order', wholeTable)) {
    const { createdAt, session } = readPlaceKey(key)
    if (orphans.has(session)) parts.createdAt.set(session, createdAt)
    if (store.get('heads', sessionKey(session)) !== undefined) continue
    slices.remove('order', key)
    if (!orphans.has(session) && !isDeleted(store, session))
      onLoss({ session, message: 'nothing of the session can be read' })
  }
  for (const { key, value } of store.rows('heads')) {
    const session = key.toString('utf8')
    if (isDeleted(store, session)) removeSession(store, slices, session)
    else count(counters, rebuildHead(parts, session, decodeHeadRow(session, value)))
    await slices.flushIfFull()
  }
  for (const session of orphans) {
    if (isDeleted(store, session)) removeSession(store, slices, session)
    else count(counters, rebuildHead(parts, session, undefined))
    await slices.flushIfFull()
  }
  const row = countersRow(counters)
  slices.put('meta', row.key, row.value)
  await slices.flush()
  await removeStaleLists(store, slices)
}

interface Parts {
  readonly store: Store
  readonly slices: Slices
  readonly tail: Tail
  readonly onLoss: OnLoss
  /** Of sessions without a head, as the list has it. */
  readonly createdAt: Map<string, number>
}

const wholeTable = { start: Buffer.from([0]), end: Buffer.alloc(16, 0xff) }

function sessionsWithoutHead(store: Store): ReadonlySet<string> {
  const sessions = new Set<string>()
  const look = (session: string) => {
    if (store.get('heads', sessionKey(session)) === undefined) sessions.add(session)
  }
  let last: string | undefined
  for (const table of ['records', 'checkpoints'] as const) {
    for (const key of store.keys(table, wholeTable)) {
      const { session } = readSeqKey(key)
      if (session !== last) look(session)
      last = session
    }
  }
  for (const key of store.keys('marks', wholeTable)) look(readMarkKey(key).session)
  return sessions
}

/** The head that the session has now; undefined if nothing of it is left. */
function rebuildHead(parts: Parts, session: string, row: HeadRow | undefined): SessionHead | undefined {
  const { store, slices, tail, onLoss } = parts
  const lost: LostEntries[] = []
  let first: LogRecord | undefined
  let last: LogRecord | undefined
  let bytes = 0
  for (const part of readableRecords(store, tail, session)) {
    if (part.lost !== undefined) lost.push(part.lost)
    else {
      first ??= part.record
      last = part.record
      bytes += part.record.bytes.byteLength
    }
  }
  for (const { fromSeq, toSeq, bytes: lostBytes, isKnown } of lost) {
    const message = isKnown ? 'entries were lost before an earlier repair' : 'entries cannot be read'
    onLoss({ session, fromSeq, toSeq, message, ...(isKnown ? {} : { bytes: lostBytes }) })
  }
  const lastSeq = Math.max(last?.seq ?? -1, row?.head.lastSeq ?? -1, lost.at(-1)?.toSeq ?? -1)
  const isWhole = row !== undefined && lost.length === 0 && lastSeq === row.head.lastSeq
  const head = isWhole
    ? row.head
    : { ...(row?.head ?? makeHead(parts, session, { first, last })), lastSeq, bytes }
  if (head === undefined || (row === undefined && last === undefined && lost.length === 0)) {
    onLoss({ session, message: 'the session has marks or checkpoints, and nothing else of it can be read' })
    removeSession(store, slices, session)
    return undefined
  }
  if (!isWhole) {
    if (row === undefined)
      onLoss({
        session,
        message:
          'the head was made again from the entries, without the numbers of producers and without labels',
      })
    if (lost.some(({ isKnown }) => !isKnown)) markLost(parts, session, lost)
    slices.put('heads', sessionKey(session), encodeHeadRow({ head, lastChunk: undefined }))
  }
  slices.put('order', placeKey(head.createdAt, session), present)
  if (head.endedAt !== undefined)
    slices.put('ended', placeKey(head.endedAt, session), Buffer.from(String(head.bytes)))
  return head
}

function makeHead(
  { createdAt }: Parts,
  session: string,
  { first, last }: { readonly first: LogRecord | undefined; readonly last: LogRecord | undefined },
): SessionHead {
  const firstAt = createdAt.get(session) ?? entryOf(first)?.at ?? 0
  const end = entryOf(last)
  return {
    session,
    createdAt: firstAt,
    updatedAt: end?.at ?? firstAt,
    lastSeq: -1,
    bytes: 0,
    endedAt: end?.events.some(({ kind }) => kind === 'session-end') === true ? end.at : undefined,
    producers: {},
    info: {},
  }
}

function entryOf(record: LogRecord | undefined): Entry | undefined {
  try {
    return record === undefined ? undefined : decodeRecord(record.bytes)
  } catch {
    return undefined // of an older format, whose damage no check tells
  }
}

function removeSession(store: Store, slices: Slices, session: string): void {
  slices.remove('heads', sessionKey(session))
  for (const table of partTables)
    for (const key of store.keys(table, sessionRange(session))) slices.remove(table, key)
}

/** Removes places of sessions that are somewhere else in the list, or nowhere. */
async function removeStaleLists(store: Store, slices: Slices): Promise<void> {
  for (const table of ['order', 'ended'] as const) {
    for (const key of store.keys(table, wholeTable)) {
      const { createdAt: time, session } = readPlaceKey(key)
      const row = store.get('heads', sessionKey(session))
      const head = row === undefined ? undefined : decodeHeadRow(session, row).head
      if ((table === 'order' ? head?.createdAt : head?.endedAt) !== time) slices.remove(table, key)
      await slices.flushIfFull()
    }
  }
  await slices.flush()
}

function isDeleted(store: Store, session: string): boolean {
  return store.get('deleted', sessionKey(session)) !== undefined
}

function count(counters: Counters, head: SessionHead | undefined): void {
  if (head === undefined) return
  counters.sessions += 1
  if (head.endedAt !== undefined) counters.endedSessions += 1
  counters.records += head.lastSeq + 1
  counters.bytes += head.bytes
}
