import { omitUndefined } from '@sluice/protocol'
import type { ChunkPiece } from '../drivers/lmdb/commit-chunk.ts'
import { isDamage } from '../drivers/lmdb/damage.ts'
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
import { isChecked } from '../drivers/lmdb/reading.ts'
import { rowPlace } from '../drivers/lmdb/row-place.ts'
import { pieceRecords, readSessionChunk, runsOf } from '../drivers/lmdb/session-chunk.ts'
import type { StoreReader } from '../drivers/lmdb/store.ts'
import { type TableName, tableNames } from '../drivers/lmdb/table-name.ts'
import { type Counters, loadTail, readCounters } from '../drivers/lmdb/tail.ts'
import type { TailPlace } from '../drivers/lmdb/tail-place.ts'
import type { LogRecord } from '../log.ts'
import { decodeRecord } from '../record.ts'
import type { LogLoss } from './log-loss.ts'
import { type LogSnapshot, openSnapshot } from './log-snapshot.ts'
import { placeIn, readFileRows } from './salvage/file-rows.ts'
import { readAnyCommits } from './salvage/tail-commits.ts'

/** One thing that is wrong with a log. */
export interface LogProblem {
  readonly session?: string
  readonly seq?: number
  readonly file?: string
  readonly bytes?: number
  readonly message: string
  /** Worth knowing, and in order: what a crash cut off, or what an earlier repair could not save. */
  readonly isNote?: true
}

export interface Verification {
  readonly sessions: number
  readonly records: number
  readonly problems: number
}

/**
 * Reads a whole log and reports what is wrong with it: every damaged byte, missing numbers, and heads, counts
 * and lists that do not agree. Works even while the owner runs.
 */
export async function verifyLog(
  directory: string,
  onProblem: (problem: LogProblem) => void,
): Promise<Verification> {
  let problems = 0
  const tell: OnProblem = (problem) => {
    if (problem.isNote !== true) problems += 1
    onProblem(problem)
  }
  let opened: Awaited<ReturnType<typeof openSnapshot>>
  try {
    opened = await openSnapshot(directory)
  } catch (error) {
    if (!isDamage(error)) throw error
    tell({ message: error.message })
    await listLosses(directory, tell)
    return { sessions: 0, records: 0, problems }
  }
  try {
    const found = await verifySnapshot(directory, opened, tell)
    return { ...found, problems }
  } finally {
    await opened.release()
  }
}

type OnProblem = (problem: LogProblem) => void

async function verifySnapshot(directory: string, snapshot: LogSnapshot, tell: OnProblem) {
  const { reader } = snapshot
  const report: Report = (message, session, seq) => tell({ message, ...omitUndefined({ session, seq }) })
  verifyValues(reader, report)
  const stored = await verifySessions(reader, { report, tell })
  if (!sameCounters(stored, countersOf(reader))) report('the counts do not agree with the sessions')
  verifyLists(reader, report)
  const tail = verifyTail(snapshot, { report, tell })
  if (tail === undefined) await listLosses(directory, tell)
  const { sessions, records } = tail ?? countersOf(reader)
  return { sessions, records }
}

/** Lists what a repair could not save. */
async function listLosses(directory: string, tell: OnProblem): Promise<void> {
  const onLoss = ({ fromSeq: seq, toSeq, ...loss }: LogLoss) => {
    const message = toSeq === undefined || toSeq === seq ? loss.message : `${loss.message}, to ${toSeq}`
    tell({ ...loss, message, ...omitUndefined({ seq }) })
  }
  let place: TailPlace | undefined
  for (const row of readFileRows(directory, onLoss)) place = placeIn(row) ?? place
  for await (const _ of readAnyCommits(directory, { place, onLoss })) {
    // Reading reports what cannot be read.
  }
}

/** Checks the values that nothing below reads. */
function verifyValues(reader: StoreReader, report: Report): void {
  for (const table of tableNames) {
    const onDamaged = (key: Buffer) => {
      const { session, seq, what } = rowPlace(table, key)
      report(`${what} cannot be read`, session, seq)
    }
    if (table === 'records') continue
    for (const _ of reader.rows(table, {}, onDamaged)) {
      // Reading is the check.
    }
  }
}

function countersOf(reader: StoreReader): Counters {
  try {
    return readCounters(reader)
  } catch {
    return { sessions: 0, endedSessions: 0, records: 0, bytes: 0 } // verifyValues() reports it
  }
}

type Report = (message: string, session?: string, seq?: number) => void

interface Reports {
  readonly report: Report
  readonly tell: OnProblem
}

async function verifySessions(reader: StoreReader, { report, tell }: Reports): Promise<Counters> {
  const counters: Counters = { sessions: 0, endedSessions: 0, records: 0, bytes: 0 }
  for (const { key, value } of reader.rows('heads', {}, () => {})) {
    const session = key.toString('utf8')
    let row: HeadRow
    try {
      row = decodeHeadRow(session, value)
    } catch {
      report('the head cannot be read', session)
      continue
    }
    const { head } = row
    const parts = storedParts(reader, session, { report, tell })
    const found = verifyRecords(parts, { session, firstSeq: 0 }, report)
    if (found.count !== head.lastSeq + 1)
      report('the head and the records do not agree', session, head.lastSeq)
    if (found.isWhole && found.bytes !== head.bytes)
      report('the head does not tell what the records take', session)
    const has = (table: TableName, row: Buffer) => [...reader.keys(table, oneKey(row))].length > 0
    if (has('deleted', key)) report('the session was deleted and is there', session)
    if (!has('order', placeKey(head.createdAt, session))) report('it is not listed', session)
    if (head.endedAt !== undefined && !has('ended', placeKey(head.endedAt, session)))
      report('it is not among the ended ones', session)
    counters.sessions += 1
    counters.endedSessions += head.endedAt === undefined ? 0 : 1
    counters.records += head.lastSeq + 1
    counters.bytes += head.bytes
    // A log may be large, and must not block this process.
    if (counters.sessions % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return counters
}

const oneKey = (key: Buffer) => ({ start: key, end: Buffer.concat([key, Buffer.from([0])]), limit: 1 })

/** Records of a session, or how many of them cannot be read. */
type StoredPart = { readonly record: LogRecord } | { readonly skipped: number; readonly seq: number }

function* storedParts(
  reader: StoreReader,
  session: string,
  { report, tell }: Reports,
): Generator<StoredPart> {
  for (const { key, value } of reader.rows('records', sessionRange(session))) {
    const { seq } = readSeqKey(key)
    const piece = readSessionChunk({ session, seq }, value, { isChecked: isChecked(reader) })
    if (piece === undefined) report('a chunk cannot be read', session, seq)
    else if (piece.isLost) {
      const message = `${piece.count} entries were lost before an earlier repair`
      tell({ session, seq, message, isNote: true })
      yield { skipped: piece.count, seq }
    } else {
      for (const run of runsOf(piece)) {
        if (run.records !== undefined) for (const record of run.records) yield { record }
        else {
          report(`${run.count} entries cannot be read`, session, run.firstSeq)
          yield { skipped: run.count, seq: run.firstSeq }
        }
      }
    }
  }
}

function verifyRecords(
  parts: Iterable<StoredPart>,
  { session, firstSeq }: { readonly session: string; readonly firstSeq: number },
  report: Report,
) {
  let next = firstSeq
  let bytes = 0
  let isWhole = true
  for (const part of parts) {
    const seq = 'record' in part ? part.record.seq : part.seq
    if (seq !== next) report('records are missing or there twice', session, next)
    if ('skipped' in part) {
      next = seq + part.skipped
      isWhole = false
      continue
    }
    const { record } = part
    next = seq + 1
    bytes += record.bytes.length
    try {
      if (decodeRecord(record.bytes).seq !== seq) report('a record has the wrong number', session, seq)
    } catch {
      report('a record cannot be read', session, seq)
    }
  }
  return { count: next, bytes, isWhole }
}

function verifyLists(reader: StoreReader, report: Report): void {
  const known = (session: string) => [...reader.keys('heads', oneKey(sessionKey(session)))].length > 0
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
  for (const { key } of reader.rows('marks', {}, () => {})) {
    const { session } = readMarkKey(key)
    if (!known(session)) report('there is a mark without a head', session)
  }
}

/** What the log has with its tail; undefined if the tail cannot be read. */
function verifyTail({ reader, readTail }: LogSnapshot, { report, tell }: Reports): Counters | undefined {
  try {
    const { chunks, torn } = readTail()
    const tail = loadTail(reader, chunks)
    for (const { session, fresh } of tail.sessions.values()) {
      const firstSeq = fresh.pieces[0]?.firstSeq
      if (firstSeq !== undefined) verifyRecords(tailParts(fresh.pieces), { session, firstSeq }, report)
    }
    if (torn !== undefined)
      tell({ ...torn, message: 'a crash cut off the last commit, which was not acknowledged', isNote: true })
    return tail.counters
  } catch (error) {
    if (!isDamage(error)) throw error
    report('the tail cannot be read')
    return undefined
  }
}

function* tailParts(pieces: readonly ChunkPiece[]): Generator<StoredPart> {
  for (const piece of pieces) for (const record of pieceRecords(piece)) yield { record }
}

function sameCounters(a: Counters, b: Counters): boolean {
  return (
    a.sessions === b.sessions &&
    a.endedSessions === b.endedSessions &&
    a.records === b.records &&
    a.bytes === b.bytes
  )
}
