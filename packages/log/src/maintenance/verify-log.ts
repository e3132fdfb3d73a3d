import { omitUndefined } from '@sluice/protocol'
import { decodeHeadRow, type HeadRow } from '../drivers/lmdb/head-row.ts'
import {
  everyKey,
  placeKey,
  readMarkKey,
  readPlaceKey,
  readSeqKey,
  sessionKey,
  sessionRange,
} from '../drivers/lmdb/keys.ts'
import { readRecords } from '../drivers/lmdb/reading.ts'
import { pieceRecords, readSessionChunk } from '../drivers/lmdb/session-chunk.ts'
import type { StoreReader } from '../drivers/lmdb/store.ts'
import { type Counters, loadTail, piecesOf, readCounters } from '../drivers/lmdb/tail.ts'
import type { LogRecord } from '../log.ts'
import { decodeRecord } from '../record.ts'
import { type LogSnapshot, withSnapshot } from './log-snapshot.ts'

/** One thing that is wrong with a log. */
export interface LogProblem {
  readonly session?: string
  readonly seq?: number
  readonly message: string
}

export interface Verification {
  readonly sessions: number
  readonly records: number
  readonly problems: number
}

/**
 * Reads a whole log and reports what is wrong with it: unreadable chunks and records, missing numbers, and
 * heads, counts and lists that do not agree. Works even while the owner runs.
 */
export function verifyLog(
  directory: string,
  onProblem: (problem: LogProblem) => void,
): Promise<Verification> {
  return withSnapshot(directory, async (snapshot) => {
    const { reader } = snapshot
    let problems = 0
    const report: Report = (message, session, seq) => {
      problems += 1
      onProblem({
        message,
        ...omitUndefined({ session, seq }),
      })
    }
    const stored = await verifySessions(reader, report)
    if (!sameCounters(stored, readCounters(reader))) report('the counts do not agree with the sessions')
    verifyLists(reader, report)
    const tail = verifyTail(snapshot, report)
    return { sessions: tail.sessions, records: tail.records, problems }
  })
}

type Report = (message: string, session?: string, seq?: number) => void

async function verifySessions(reader: StoreReader, report: Report): Promise<Counters> {
  const counters: Counters = { sessions: 0, endedSessions: 0, records: 0, bytes: 0 }
  for (const { key, value } of reader.rows('heads')) {
    const session = key.toString('utf8')
    let row: HeadRow
    try {
      row = decodeHeadRow(session, value)
    } catch {
      report('the head cannot be read', session)
      continue
    }
    const { head } = row
    const found = verifyRecords(storedRecords(reader, session, report), { session, firstSeq: 0 }, report)
    if (found.count !== head.lastSeq + 1)
      report('the head and the records do not agree', session, head.lastSeq)
    if (found.bytes !== head.bytes) report('the head does not tell what the records take', session)
    if (reader.get('deleted', key) !== undefined) report('the session was deleted and is there', session)
    if (reader.get('order', placeKey(head.createdAt, session)) === undefined)
      report('it is not listed', session)
    if (head.endedAt !== undefined && reader.get('ended', placeKey(head.endedAt, session)) === undefined) {
      report('it is not among the ended ones', session)
    }
    counters.sessions += 1
    counters.endedSessions += head.endedAt === undefined ? 0 : 1
    counters.records += head.lastSeq + 1
    counters.bytes += head.bytes
    // A log may be large, and must not block this process.
    if (counters.sessions % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return counters
}

function* storedRecords(reader: StoreReader, session: string, report: Report): Generator<LogRecord> {
  for (const { key, value } of reader.rows('records', sessionRange(session))) {
    const { seq } = readSeqKey(key)
    try {
      yield* pieceRecords(readSessionChunk(seq, value))
    } catch {
      report('a chunk cannot be read', session, seq)
    }
  }
}

function verifyRecords(
  records: Iterable<LogRecord>,
  { session, firstSeq }: { readonly session: string; readonly firstSeq: number },
  report: Report,
) {
  let next = firstSeq
  let bytes = 0
  for (const record of records) {
    if (record.seq !== next) report('records are missing or there twice', session, next)
    next = record.seq + 1
    bytes += record.bytes.length
    try {
      if (decodeRecord(record.bytes).seq !== record.seq)
        report('a record has the wrong number', session, record.seq)
    } catch {
      report('a record cannot be read', session, record.seq)
    }
  }
  return { count: next, bytes }
}

function verifyLists(reader: StoreReader, report: Report): void {
  const known = (session: string) => reader.get('heads', sessionKey(session)) !== undefined
  for (const table of ['order', 'ended'] as const) {
    for (const key of reader.keys(table, everyKey)) {
      const { session } = readPlaceKey(key)
      if (!known(session)) report(`it is listed in ${table} and not there`, session)
    }
  }
  for (const table of ['records', 'checkpoints'] as const) {
    let last: string | undefined
    for (const key of reader.keys(table, everyKey)) {
      const { session } = readSeqKey(key)
      if (session !== last && !known(session)) report(`there are ${table} without a head`, session)
      last = session
    }
  }
  for (const { key } of reader.rows('marks')) {
    const { session } = readMarkKey(key)
    if (!known(session)) report('there is a mark without a head', session)
  }
}

function verifyTail({ reader, readTail }: LogSnapshot, report: Report): Counters {
  try {
    const tail = loadTail(reader, readTail())
    for (const entry of tail.sessions.values()) {
      const firstSeq = piecesOf(entry)[0]?.firstSeq
      if (firstSeq === undefined) continue
      verifyRecords(
        readRecords(reader, tail, { session: entry.session, fromSeq: firstSeq }),
        { session: entry.session, firstSeq },
        report,
      )
    }
    return tail.counters
  } catch {
    report('the tail cannot be read')
    return readCounters(reader)
  }
}

function sameCounters(a: Counters, b: Counters): boolean {
  return (
    a.sessions === b.sessions &&
    a.endedSessions === b.endedSessions &&
    a.records === b.records &&
    a.bytes === b.bytes
  )
}
