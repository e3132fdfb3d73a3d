import { type JsonValue, SluiceError } from '@sluice/protocol'
import type { Append, Checkpoint, ListPlace, LogStat, SessionHead } from '../../log.ts'
import { insertPlace } from '../session-order.ts'
import { advanceHead } from '../writers.ts'
import { type ChunkPiece, type ReadAppend, readCommitChunk } from './commit-chunk.ts'
import { damagedData, parseRow } from './damage.ts'
import { type LastChunk, readHeadRow } from './head-row.ts'
import { sessionKey } from './keys.ts'
import type { StoreReader } from './store.ts'

/** The data of a session in the tail, except its head. */
export interface TailPart {
  readonly pieces: ChunkPiece[]
  readonly marks: Map<string, JsonValue>
  /** In the order in which they were put. */
  readonly checkpoints: Checkpoint[]
}

/** A session that has data in the tail or is being written to. */
export interface TailSession {
  readonly session: string
  readonly sessionBytes: Buffer
  /** The durable head. */
  head: SessionHead | undefined
  /** The head once all waiting appends are durable. */
  taken: SessionHead | undefined
  /** Appends that are not durable yet. */
  waiting: number
  /** A delete was accepted. */
  deleting: boolean
  /** Whether its table rows exist, and its last chunk there. */
  stored: boolean
  endStored: boolean
  lastChunk: LastChunk | undefined
  /** The data that the current regroup moves into the tables. */
  moving: TailPart | undefined
  /** Whether the next regroup has something to move: the head or `fresh`. */
  changed: boolean
  fresh: TailPart
}

export type Counters = { -readonly [Name in Exclude<keyof LogStat, 'diskBytes'>]: number }

/** The commits that are not known to be in the tables, by session. */
export interface Tail {
  readonly sessions: Map<string, TailSession>
  /**
   * Sessions that are not in the table `order` yet, oldest first: of the current regroup, and of the next
   * one.
   */
  movingPlaces: readonly ListPlace[]
  newPlaces: ListPlace[]
  readonly counters: Counters
  /** The size of the commits that wait for the next regroup. */
  bytes: number
}

const countersKey = Buffer.from('counters')

export function readCounters(store: StoreReader): Counters {
  const bytes = store.get('meta', countersKey)
  if (bytes === undefined) return { sessions: 0, endedSessions: 0, records: 0, bytes: 0 }
  return parseRow<Counters>(bytes, 'log.mdb: its counters cannot be read.')
}

export function countersRow(counters: Counters): { key: Buffer; value: Buffer } {
  return { key: countersKey, value: Buffer.from(JSON.stringify(counters), 'utf8') }
}

/** Builds the tail from its commits. Reads only the sessions that are in the tail. Throws `damaged_data`. */
export function loadTail(store: StoreReader, chunks: Iterable<Buffer>): Tail {
  const tail: Tail = {
    sessions: new Map(),
    movingPlaces: [],
    newPlaces: [],
    counters: readCounters(store),
    bytes: 0,
  }
  try {
    for (const chunk of chunks) {
      tail.bytes += chunk.length
      for (const append of readCommitChunk(chunk)) replay(store, tail, append)
    }
  } catch (error) {
    throw error instanceof SluiceError ? error : new SluiceError('damaged_data', { cause: error })
  }
  return tail
}

/** Returns a session of the tail, adding it from the tables if necessary; undefined if it was deleted. */
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
    moving: undefined,
    changed: false,
    fresh: emptyPart(),
  }
  tail.sessions.set(session, entry)
  return entry
}

export function emptyPart(): TailPart {
  return { pieces: [], marks: new Map(), checkpoints: [] }
}

/** Everything that the tail holds of a session, oldest first. */
export function partsOf(entry: TailSession | undefined): readonly TailPart[] {
  if (entry === undefined) return []
  return entry.moving === undefined ? [entry.fresh] : [entry.moving, entry.fresh]
}

/** The pieces of a session in the tail, in the order of their seqs. */
export function piecesOf(entry: TailSession | undefined): readonly ChunkPiece[] {
  if (entry === undefined) return []
  return entry.moving === undefined ? entry.fresh.pieces : [...entry.moving.pieces, ...entry.fresh.pieces]
}

/** An append that a commit made durable. */
export interface DurableAppend {
  readonly head: SessionHead
  readonly piece: ChunkPiece
  readonly marks: Append['marks']
}

/** Adds an append to the tail. */
export function adoptAppend(tail: Tail, entry: TailSession, { head, piece, marks }: DurableAppend): void {
  const before = entry.head
  if (before === undefined) insertPlace(tail.newPlaces, head)
  const { counters } = tail
  if (before === undefined) counters.sessions += 1
  if (head.endedAt !== undefined) counters.endedSessions += 1
  counters.records += piece.count
  counters.bytes += head.bytes - (before?.bytes ?? 0)
  entry.head = head
  entry.changed = true
  if (piece.count > 0) entry.fresh.pieces.push(piece)
  if (marks !== undefined)
    for (const [name, value] of Object.entries(marks)) entry.fresh.marks.set(name, value)
}

function replay(store: StoreReader, tail: Tail, { session, at, ends, extra, piece }: ReadAppend): void {
  const entry = enterTail(store, tail, session)
  if (entry === undefined || piece.firstSeq !== (entry.head?.lastSeq ?? -1) + 1) {
    throw damagedData('the tail does not follow what log.mdb holds.', { session, seq: piece.firstSeq })
  }
  const advance = { lease: { session }, at, ends, ...extra }
  const head = advanceHead(entry.head, advance, { count: piece.count, bytes: pieceBytes(piece) })
  adoptAppend(tail, entry, { head, piece, marks: extra?.marks })
}

/** The size of the records of a piece. */
export function pieceBytes({ chunk, lengthsAt, count }: ChunkPiece): number {
  let bytes = 0
  for (let index = 0; index < count; index++) bytes += chunk.readUInt32LE(lengthsAt + 4 * index)
  return bytes
}
