import type { SessionHead } from '../../log.ts'
import type { ChunkPiece } from './commit-chunk.ts'
import { encodeHeadRow, type LastChunk, readHeadRow } from './head-row.ts'
import { markKey, placeKey, seqKey, sessionKey, sessionRange } from './keys.ts'
import { encodeSessionChunks, isWholePiece, readSessionChunk, type SessionChunk } from './session-chunk.ts'
import type { StoreBatch, StoreReader } from './store.ts'
import {
  type Counters,
  countersRow,
  emptyPart,
  pieceBytes,
  type Tail,
  type TailPart,
  type TailSession,
} from './tail.ts'
import { putTailPlace, type TailPlace } from './tail-place.ts'

// A chunk below this size is rewritten with the next records, so that a slow session has no tiny chunks.
const extendBelowBytes = 8 * 1024
// How much is encoded in one turn of the event loop: about a millisecond.
const sliceBytes = 256 * 1024
const rowsBytes = 512
const present = Buffer.from([1])

/** One transaction that moves the tail into the tables and removes sessions. */
export interface Regroup {
  /** Where the tail continues. */
  readonly place: TailPlace
  /** The approximate size of the transaction. */
  readonly bytes: number
  fill(batch: StoreBatch): Promise<void>
  /** Call once the transaction is durable. */
  adopt(): void
}

/** A session after the transaction. */
interface MovedSession {
  readonly entry: TailSession
  readonly head: SessionHead | undefined
  readonly part: TailPart
}

export interface RegroupTarget {
  /** Where the tail continues. */
  readonly place: TailPlace
  /** Sessions to remove with all their data. */
  readonly deletes?: ReadonlySet<string>
}

/**
 * Plans to move everything from the tail into the tables, and to remove sessions. Later commits belong to the next
 * regroup. Only one at a time. If adopt() is not called, the tail must be loaded again.
 */
export function planRegroup(
  store: StoreReader,
  tail: Tail,
  { place, deletes = new Set() }: RegroupTarget,
): Regroup {
  const { bytes } = tail
  const moved: MovedSession[] = []
  const idle: TailSession[] = []
  for (const entry of tail.sessions.values()) {
    if (deletes.has(entry.session)) continue
    if (!entry.changed) {
      idle.push(entry)
      continue
    }
    moved.push({ entry, head: entry.head, part: entry.fresh })
    entry.moving = entry.fresh
    entry.fresh = emptyPart()
    entry.changed = false
  }
  const lastChunks = new Map<TailSession, LastChunk>()
  const removed = countSessions(store, tail, deletes)
  const counters = subtract({ ...tail.counters }, removed)
  tail.movingPlaces = tail.newPlaces
  tail.newPlaces = []
  tail.bytes = 0

  return {
    place,
    bytes,
    async fill(batch) {
      let filledBytes = 0
      for (const { entry, head, part } of moved) {
        for (const { firstSeq, bytes: chunk } of chunksOf(store, entry, part)) {
          batch.put('records', seqKey(entry.session, firstSeq), chunk)
          lastChunks.set(entry, { firstSeq, bytes: chunk.length })
          filledBytes += chunk.length
          // Commits continue meanwhile and should not wait for the whole regroup.
          if (filledBytes < sliceBytes) continue
          filledBytes = 0
          await new Promise((resolve) => setImmediate(resolve))
        }
        moveRest(batch, { entry, head, part }, lastChunks.get(entry) ?? entry.lastChunk)
        filledBytes += rowsBytes
      }
      for (const session of deletes) removeSession(batch, store, session)
      const row = countersRow(counters)
      batch.put('meta', row.key, row.value)
      putTailPlace(batch, place)
    },
    adopt() {
      for (const session of deletes) tail.sessions.delete(session)
      for (const entry of idle) {
        // A session with ongoing writes stays, so that its head need not be read again.
        if (!entry.changed && entry.waiting === 0 && !entry.deleting) tail.sessions.delete(entry.session)
      }
      for (const { entry, head } of moved) {
        entry.stored = head !== undefined
        entry.endStored = head?.endedAt !== undefined
        entry.lastChunk = lastChunks.get(entry) ?? entry.lastChunk
        entry.moving = undefined
      }
      subtract(tail.counters, removed)
      tail.movingPlaces = []
    },
  }
}

function chunksOf(store: StoreReader, entry: TailSession, { pieces }: TailPart): Iterable<SessionChunk> {
  if (pieces.length === 0) return []
  const before = extendable(store, entry, pieces)
  return encodeSessionChunks(entry.session, before === undefined ? pieces : [before, ...pieces])
}

function extendable(
  store: StoreReader,
  { session, lastChunk }: TailSession,
  pieces: readonly ChunkPiece[],
): ChunkPiece | undefined {
  if (lastChunk === undefined) return undefined
  if (lastChunk.bytes >= extendBelowBytes) {
    // Also worth it if the new records are at least as large: then a byte is rewritten only a few times.
    let added = 0
    for (const piece of pieces) added += pieceBytes(piece)
    if (lastChunk.bytes > added) return undefined
  }
  const seq = lastChunk.firstSeq
  const bytes = store.get('records', seqKey(session, seq))
  const piece = bytes === undefined ? undefined : readSessionChunk({ session, seq }, bytes)
  // Damage stays where it is. The next record must follow, in case the head does not agree.
  return piece !== undefined && isWholePiece(piece) && seq + piece.count === pieces[0]?.firstSeq
    ? piece
    : undefined
}

function moveRest(
  batch: StoreBatch,
  { entry, head, part }: MovedSession,
  lastChunk: LastChunk | undefined,
): void {
  const { session } = entry
  if (head === undefined) return
  batch.put('heads', sessionKey(session), encodeHeadRow({ head, lastChunk }))
  if (!entry.stored) batch.put('order', placeKey(head.createdAt, session), present)
  if (head.endedAt !== undefined && !entry.endStored) {
    batch.put('ended', placeKey(head.endedAt, session), Buffer.from(String(head.bytes)))
  }
  for (const [name, value] of part.marks) {
    if (value === null) batch.remove('marks', markKey(session, name))
    else batch.put('marks', markKey(session, name), Buffer.from(JSON.stringify(value)))
  }
  for (const { seq, bytes } of part.checkpoints)
    batch.put('checkpoints', seqKey(session, seq), Buffer.from(bytes))
}

function removeSession(batch: StoreBatch, store: StoreReader, session: string): void {
  batch.put('deleted', sessionKey(session), present)
  const row = readHeadRow(store, session)
  if (row === undefined) return
  const { createdAt, endedAt } = row.head
  batch.remove('heads', sessionKey(session))
  batch.remove('order', placeKey(createdAt, session))
  if (endedAt !== undefined) batch.remove('ended', placeKey(endedAt, session))
  for (const table of ['records', 'marks', 'checkpoints'] as const) {
    for (const key of store.keys(table, sessionRange(session))) batch.remove(table, key)
  }
}

function countSessions(store: StoreReader, tail: Tail, sessions: Iterable<string>): Counters {
  const counters: Counters = { sessions: 0, endedSessions: 0, records: 0, bytes: 0 }
  for (const session of sessions) {
    const head = tail.sessions.get(session)?.head ?? readHeadRow(store, session)?.head
    if (head === undefined) continue
    counters.sessions += 1
    if (head.endedAt !== undefined) counters.endedSessions += 1
    counters.records += head.lastSeq + 1
    counters.bytes += head.bytes
  }
  return counters
}

function subtract(counters: Counters, removed: Counters): Counters {
  counters.sessions -= removed.sessions
  counters.endedSessions -= removed.endedSessions
  counters.records -= removed.records
  counters.bytes -= removed.bytes
  return counters
}
