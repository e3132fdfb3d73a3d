import type { JsonValue } from '@sluice/protocol'
import type { Checkpoint, ListOptions, LogRecord, Mark, SessionHead } from '../../log.ts'
import type { EndedSession } from '../retention.ts'
import { comparePlaces, countBefore } from '../session-order.ts'
import { damagedRecord } from './damage.ts'
import { readHeadRow } from './head-row.ts'
import {
  everyKey,
  placeKey,
  readMarkKey,
  readPlaceKey,
  readSeqKey,
  seqKey,
  seqRangeDown,
  sessionRange,
} from './keys.ts'
import { pieceRecords, readSessionChunk, type StoredPiece, storedRecords } from './session-chunk.ts'
import type { StoreReader } from './store.ts'
import { partsOf, piecesOf, type Tail, type TailSession } from './tail.ts'

export function readHead(store: StoreReader, tail: Tail, session: string): SessionHead | undefined {
  const entry = tail.sessions.get(session)
  return entry === undefined ? readHeadRow(store, session)?.head : entry.head
}

/**
 * All records of a session from `fromSeq` on, in order: those in the tables, then those in the tail. Throws
 * `damaged_data` at a record that cannot be read or is missing.
 */
export function* readRecords(
  store: StoreReader,
  tail: Tail,
  { session, fromSeq }: { readonly session: string; readonly fromSeq: number },
): Generator<LogRecord> {
  const entry = tail.sessions.get(session)
  const pieces = piecesOf(entry)
  const tailFrom = pieces[0]?.firstSeq ?? Number.POSITIVE_INFINITY
  let next = Math.max(0, fromSeq)
  if (next < tailFrom) {
    const end = Math.min(tailFrom, (readHead(store, tail, session)?.lastSeq ?? -1) + 1)
    for (const piece of storedPieces(store, session, next)) {
      // A regroup may be durable before this process knows it: then tables and tail overlap.
      if (next >= end || piece.firstSeq > next) break
      for (const record of storedRecords(piece, next)) {
        if (record.seq >= end) break
        yield record
        next = record.seq + 1
      }
    }
    if (next < end) throw damagedRecord(session, next)
  }
  for (let index = pieceAt(pieces, next); index < pieces.length; index++) {
    const piece = pieces[index]
    if (piece !== undefined) yield* pieceRecords(piece, next)
  }
}

/** The chunks of a session in the tables, beginning with the one that holds `seq`. Throws `damaged_data`. */
function* storedPieces(store: StoreReader, session: string, seq: number): Generator<StoredPiece> {
  const [start] = store.keys('records', { ...seqRangeDown(session, seq), limit: 1 })
  const range = { start: start ?? seqKey(session, 0), end: sessionRange(session).end }
  for (const { key, value } of store.rows('records', range)) {
    const place = readSeqKey(key)
    const piece = readSessionChunk(place, value, { isChecked: isChecked(store) })
    if (piece === undefined) throw damagedRecord(session, Math.max(seq, place.seq))
    yield piece
  }
}

/** Whether values of the store have checks. */
export function isChecked({ format }: StoreReader): boolean {
  return format === undefined || format >= 3
}

// The last piece that begins at or before `seq`, else the first.
function pieceAt(pieces: readonly { readonly firstSeq: number }[], seq: number): number {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pieces[middle]?.firstSeq ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

export function listHeads(
  store: StoreReader,
  tail: Tail,
  { before, limit }: ListOptions,
): readonly SessionHead[] {
  const places = [tail.movingPlaces, tail.newPlaces].flatMap((tailPlaces) => {
    const end = before === undefined ? tailPlaces.length : countBefore(tailPlaces, before)
    return tailPlaces.slice(Math.max(0, end - limit), end)
  })
  const start = before === undefined ? everyKey.end : placeKey(before.createdAt, before.session)
  for (const key of store.keys('order', { start, end: everyKey.start, reverse: true, limit: limit + 1 })) {
    places.push(readPlaceKey(key))
  }
  const heads: SessionHead[] = []
  let last = before
  for (const place of places.sort(comparePlaces).reverse()) {
    if (heads.length >= limit) break
    if (last !== undefined && comparePlaces(place, last) >= 0) continue
    last = place
    const head = readHead(store, tail, place.session)
    if (head !== undefined) heads.push(head)
  }
  return heads
}

export function listMarks(store: StoreReader, tail: Tail, prefix: string): readonly Mark[] {
  const marks: Mark[] = []
  for (const { key, value } of store.rows('marks')) {
    const { session, name } = readMarkKey(key)
    if (!name.startsWith(prefix)) continue
    if (partsOf(tail.sessions.get(session)).some((part) => part.marks.has(name))) continue
    marks.push({ session, name, value: JSON.parse(value.toString('utf8')) })
  }
  for (const [session, entry] of tail.sessions) {
    for (const [name, value] of latestMarks(entry)) {
      if (value !== null && name.startsWith(prefix)) marks.push({ session, name, value })
    }
  }
  return marks
}

function latestMarks({ moving, fresh }: TailSession): ReadonlyMap<string, JsonValue> {
  if (moving === undefined || moving.marks.size === 0) return fresh.marks
  return new Map([...moving.marks, ...fresh.marks])
}

export function readCheckpoint(
  store: StoreReader,
  tail: Tail,
  { session, seq }: { readonly session: string; readonly seq: number },
): Checkpoint | undefined {
  let latest: Checkpoint | undefined
  // A damaged checkpoint costs only time.
  const ignoreDamage = () => {}
  for (const { key, value } of store.rows('checkpoints', seqRangeDown(session, seq), ignoreDamage)) {
    const stored = readSeqKey(key).seq
    if (stored > seq) continue
    latest = { seq: stored, bytes: value }
    break
  }
  for (const { checkpoints } of partsOf(tail.sessions.get(session))) {
    for (const checkpoint of checkpoints) {
      if (checkpoint.seq <= seq && checkpoint.seq >= (latest?.seq ?? -1)) latest = checkpoint
    }
  }
  return latest
}

/** The ended sessions in the tables, in the order of their end. */
export function* listEnded(store: StoreReader): Generator<EndedSession> {
  for (const { key, value } of store.rows('ended')) {
    const { createdAt: endedAt, session } = readPlaceKey(key)
    yield { session, endedAt, bytes: Number(value.toString('utf8')) }
  }
}
