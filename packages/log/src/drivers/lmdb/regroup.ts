import type { SessionHead } from '../../log.ts'
import type { ChunkPiece } from './commit-chunk.ts'
import { encodeHeadRow, type LastChunk, readHeadRow } from './head-row.ts'
import { markKey, placeKey, seqKey, sessionKey, sessionRange } from './keys.ts'
import { encodeSessionChunks, readSessionChunk, type SessionChunk } from './session-chunk.ts'
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

// A chunk up to this size is written again with what follows it, so that a slow session has no tiny ones.
const extendBelowBytes = 8 * 1024
// As much is encoded in one turn of the event loop: about a millisecond.
const sliceBytes = 256 * 1024
const rowsBytes = 512
const present = Buffer.from([1])

/** One transaction that brings the tail into the tables and removes sessions. */
export interface Regroup {
  /** From here on the tail goes on. */
  readonly place: TailPlace
  /** About what the transaction writes. */
  readonly bytes: number
  fill(batch: StoreBatch): Promise<void>
  /** To be called when the transaction is durable. */
  adopt(): void
}

/** A session as the transaction leaves it. */
interface MovedSession {
  readonly entry: TailSession
  readonly head: SessionHead | undefined
  readonly part: TailPart
}

/**
 * Plans to bring all that the tail holds into the tables, and to remove the sessions `deletes` with all they have.
 * What is committed from here on belongs to the next regroup. One at a time; without adopt() the tail is to be loaded
 * anew.
 */
export function planRegroup(
  store: StoreReader,
  tail: Tail,
  place: TailPlace,
  deletes: ReadonlySet<string> = new Set(),
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
  const removed: Counters = { sessions: 0, endedSessions: 0, records: 0, bytes: 0 }
  for (const session of deletes) countRemoved(store, tail, session, removed)
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
          // Commits go on meanwhile, and should not wait for all of it.
          if (filledBytes < sliceBytes) continue
          filledBytes = 0
          await new Promise((resolve) => setImmediate(resolve))
        }
        moveRest(batch, entry, head, part, lastChunks.get(entry) ?? entry.lastChunk)
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
        // Who writes without pause keeps a place and need not read the head again.
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
  return encodeSessionChunks(before === undefined ? pieces : [before, ...pieces])
}

function extendable(
  store: StoreReader,
  { session, lastChunk }: TailSession,
  pieces: readonly ChunkPiece[],
): ChunkPiece | undefined {
  if (lastChunk === undefined) return undefined
  if (lastChunk.bytes >= extendBelowBytes) {
    // Worth it also where at least as much is added: then no byte is written again more than a few times.
    let added = 0
    for (const piece of pieces) added += pieceBytes(piece)
    if (lastChunk.bytes > added) return undefined
  }
  const bytes = store.get('records', seqKey(session, lastChunk.firstSeq))
  try {
    return bytes === undefined ? undefined : readSessionChunk(lastChunk.firstSeq, bytes)
  } catch {
    return undefined // damage stays where it is
  }
}

function moveRest(
  batch: StoreBatch,
  entry: TailSession,
  head: SessionHead | undefined,
  { marks, checkpoints }: TailPart,
  lastChunk: LastChunk | undefined,
): void {
  const { session } = entry
  if (head === undefined) return
  batch.put('heads', sessionKey(session), encodeHeadRow({ head, lastChunk }))
  if (!entry.stored) batch.put('order', placeKey(head.createdAt, session), present)
  if (head.endedAt !== undefined && !entry.endStored) {
    batch.put('ended', placeKey(head.endedAt, session), Buffer.from(String(head.bytes)))
  }
  for (const [name, value] of marks) {
    if (value === null) batch.remove('marks', markKey(session, name))
    else batch.put('marks', markKey(session, name), Buffer.from(JSON.stringify(value)))
  }
  for (const { seq, bytes } of checkpoints) batch.put('checkpoints', seqKey(session, seq), Buffer.from(bytes))
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

function countRemoved(store: StoreReader, tail: Tail, session: string, removed: Counters): void {
  const head = tail.sessions.get(session)?.head ?? readHeadRow(store, session)?.head
  if (head === undefined) return
  removed.sessions += 1
  if (head.endedAt !== undefined) removed.endedSessions += 1
  removed.records += head.lastSeq + 1
  removed.bytes += head.bytes
}

function subtract(counters: Counters, removed: Counters): Counters {
  counters.sessions -= removed.sessions
  counters.endedSessions -= removed.endedSessions
  counters.records -= removed.records
  counters.bytes -= removed.bytes
  return counters
}
