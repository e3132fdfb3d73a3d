import { type JsonValue, SluiceError } from '@sluice/protocol'
import type { Append, Checkpoint, ListPlace, LogStat, SessionHead } from '../../log.ts'
import { insertPlace } from '../session-order.ts'
import { advanceHead } from '../writers.ts'
import { type ChunkPiece, type ReadAppend, readCommitChunk } from './commit-chunk.ts'
import { type LastChunk, readHeadRow } from './head-row.ts'
import { readChunkKey, sessionKey } from './keys.ts'
import type { StoreReader } from './store.ts'

/** A session of which the tail holds something, or to which somebody writes. */
export interface TailSession {
  readonly session: string
  readonly sessionBytes: Buffer
  /** What is durable. */
  head: SessionHead | undefined
  /** What will be when all that waits is durable. */
  taken: SessionHead | undefined
  /** Appends that are not durable yet. */
  waiting: number
  /** A delete was taken. */
  deleting: boolean
  /** Whether its table rows exist, and the last of its chunks there. */
  stored: boolean
  endStored: boolean
  lastChunk: LastChunk | undefined
  /** What the store's tables do not have yet. */
  changed: boolean
  pieces: ChunkPiece[]
  readonly marks: Map<string, JsonValue>
  /** In the order in which they were put. */
  checkpoints: Checkpoint[]
}

export type Counters = { -readonly [Name in Exclude<keyof LogStat, 'diskBytes'>]: number }

/** What was committed since the last regroup, by session. */
export interface Tail {
  readonly sessions: Map<string, TailSession>
  /** Sessions that are not in the table `order` yet, oldest first. */
  readonly newPlaces: ListPlace[]
  readonly counters: Counters
  /** What waits for the regroup, in bytes. */
  bytes: number
  firstChunk: number
  nextChunk: number
}

const countersKey = Buffer.from('counters')

export function readCounters(store: StoreReader): Counters {
  const bytes = store.get('meta', countersKey)
  if (bytes === undefined) return { sessions: 0, endedSessions: 0, records: 0, bytes: 0 }
  return JSON.parse(bytes.toString('utf8')) as Counters // from countersRow()
}

export function countersRow(counters: Counters): { key: Buffer; value: Buffer } {
  return { key: countersKey, value: Buffer.from(JSON.stringify(counters), 'utf8') }
}

/**
 * The tail as the store has it, without the chunks from `endChunk` on. Only sessions in the tail are read.
 * Throws `damaged_data`.
 */
export function loadTail(store: StoreReader, endChunk = Number.POSITIVE_INFINITY): Tail {
  const tail: Tail = {
    sessions: new Map(),
    newPlaces: [],
    counters: readCounters(store),
    bytes: 0,
    firstChunk: 0,
    nextChunk: 0,
  }
  try {
    let first = true
    for (const { key, value } of store.rows('tail')) {
      const number = readChunkKey(key)
      if (number >= endChunk) break
      if (first) tail.firstChunk = number
      first = false
      tail.nextChunk = number + 1
      tail.bytes += value.length
      for (const append of readCommitChunk(value)) replay(store, tail, append)
    }
  } catch (error) {
    throw error instanceof SluiceError ? error : new SluiceError('damaged_data', { cause: error })
  }
  return tail
}

/** The session's place in the tail, made from the store's tables if there is none; undefined if it was deleted. */
export function enterTail(store: StoreReader, tail: Tail, session: string): TailSession | undefined {
  const known = tail.sessions.get(session)
  if (known !== undefined) return known
  const row = readHeadRow(store, session)
  if (row === undefined && store.get('deleted', sessionKey(session)) !== undefined) return undefined
  const entry: TailSession = {
    session,
    sessionBytes: sessionKey(session),
    head: row?.head,
    taken: undefined,
    waiting: 0,
    deleting: false,
    stored: row !== undefined,
    endStored: row?.head.endedAt !== undefined,
    lastChunk: row?.lastChunk,
    changed: false,
    pieces: [],
    marks: new Map(),
    checkpoints: [],
  }
  tail.sessions.set(session, entry)
  return entry
}

/** Takes over what a commit made durable. */
export function adoptAppend(
  tail: Tail,
  entry: TailSession,
  head: SessionHead,
  piece: ChunkPiece,
  marks: Append['marks'],
): void {
  const before = entry.head
  if (before === undefined) insertPlace(tail.newPlaces, head)
  const { counters } = tail
  if (before === undefined) counters.sessions += 1
  if (head.endedAt !== undefined) counters.endedSessions += 1
  counters.records += piece.count
  counters.bytes += head.bytes - (before?.bytes ?? 0)
  entry.head = head
  entry.changed = true
  if (piece.count > 0) entry.pieces.push(piece)
  if (marks !== undefined) for (const [name, value] of Object.entries(marks)) entry.marks.set(name, value)
}

function replay(store: StoreReader, tail: Tail, { session, at, ends, extra, piece }: ReadAppend): void {
  const entry = enterTail(store, tail, session)
  if (entry === undefined || piece.firstSeq !== (entry.head?.lastSeq ?? -1) + 1) {
    throw new SluiceError('damaged_data', {
      message: 'The tail of the log does not follow what is stored before it.',
      details: { session, seq: piece.firstSeq },
    })
  }
  const head = advanceHead(
    entry.head,
    { lease: { session }, at, ends, ...extra },
    piece.count,
    pieceBytes(piece),
  )
  adoptAppend(tail, entry, head, piece, extra?.marks)
}

/** What the records of a piece take. */
export function pieceBytes({ chunk, lengthsAt, count }: ChunkPiece): number {
  let bytes = 0
  for (let index = 0; index < count; index++) bytes += chunk.readUInt32LE(lengthsAt + 4 * index)
  return bytes
}
