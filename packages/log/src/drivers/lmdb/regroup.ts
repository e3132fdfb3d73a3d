import type { ChunkPiece } from './commit-chunk.ts'
import { encodeHeadRow, type LastChunk, readHeadRow } from './head-row.ts'
import { chunkKey, markKey, placeKey, seqKey, sessionKey, sessionRange } from './keys.ts'
import { encodeSessionChunks, readSessionChunk } from './session-chunk.ts'
import type { StoreBatch, StoreReader } from './store.ts'
import { type Counters, countersRow, pieceBytes, type Tail, type TailSession } from './tail.ts'

// A chunk up to this size is written again with what follows it, so that a slow session has no tiny ones.
const extendBelowBytes = 8 * 1024
const present = Buffer.from([1])

/** One transaction that brings the tail into the tables and removes sessions. */
export interface Regroup {
  fill(batch: StoreBatch): void
  /** To be called when the transaction is durable. */
  adopt(): void
}

/** Plans to bring all of the tail into the tables, and to remove the sessions `deletes` with all they have. */
export function planRegroup(
  store: StoreReader,
  tail: Tail,
  deletes: ReadonlySet<string> = new Set(),
): Regroup {
  const { firstChunk, nextChunk, bytes } = tail
  const moved = [...tail.sessions.values()].filter(({ session, changed }) => changed && !deletes.has(session))
  const lastChunks = new Map<TailSession, LastChunk>()
  const checkpoints = new Map(moved.map((entry) => [entry, entry.checkpoints.length]))
  const counters = { ...tail.counters }
  for (const session of deletes) uncount(store, tail, session, counters)

  return {
    fill(batch) {
      for (const entry of moved) {
        const lastChunk = moveRecords(batch, store, entry)
        if (lastChunk !== undefined) lastChunks.set(entry, lastChunk)
        moveRest(batch, entry, lastChunk ?? entry.lastChunk)
      }
      for (const session of deletes) removeSession(batch, store, session)
      for (let chunk = firstChunk; chunk < nextChunk; chunk++) batch.remove('tail', chunkKey(chunk))
      const row = countersRow(counters)
      batch.put('meta', row.key, row.value)
    },
    adopt() {
      for (const [session, entry] of tail.sessions) {
        // Who writes without pause keeps a place and need not read the head again.
        if (deletes.has(session) || (!entry.changed && entry.waiting === 0 && !entry.deleting)) {
          tail.sessions.delete(session)
        }
      }
      for (const entry of moved) {
        entry.stored = entry.head !== undefined
        entry.endStored = entry.head?.endedAt !== undefined
        entry.lastChunk = lastChunks.get(entry) ?? entry.lastChunk
        entry.pieces = []
        entry.marks.clear()
        // Those that were put while the transaction was under way stay for the next.
        entry.checkpoints = entry.checkpoints.slice(checkpoints.get(entry))
        entry.changed = entry.checkpoints.length > 0
      }
      Object.assign(tail.counters, counters)
      tail.newPlaces.length = 0
      tail.bytes -= bytes
      tail.firstChunk = nextChunk
    },
  }
}

function moveRecords(batch: StoreBatch, store: StoreReader, entry: TailSession): LastChunk | undefined {
  const { session, pieces } = entry
  if (pieces.length === 0) return undefined
  const before = extendable(store, entry)
  let lastChunk: LastChunk | undefined
  for (const { firstSeq, bytes } of encodeSessionChunks(
    before === undefined ? pieces : [before, ...pieces],
  )) {
    batch.put('records', seqKey(session, firstSeq), bytes)
    lastChunk = { firstSeq, bytes: bytes.length }
  }
  return lastChunk
}

function extendable(store: StoreReader, { session, lastChunk, pieces }: TailSession): ChunkPiece | undefined {
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

function moveRest(batch: StoreBatch, entry: TailSession, lastChunk: LastChunk | undefined): void {
  const { session, head } = entry
  if (head === undefined) return
  batch.put('heads', sessionKey(session), encodeHeadRow({ head, lastChunk }))
  if (!entry.stored) batch.put('order', placeKey(head.createdAt, session), present)
  if (head.endedAt !== undefined && !entry.endStored) {
    batch.put('ended', placeKey(head.endedAt, session), Buffer.from(String(head.bytes)))
  }
  for (const [name, value] of entry.marks) {
    if (value === null) batch.remove('marks', markKey(session, name))
    else batch.put('marks', markKey(session, name), Buffer.from(JSON.stringify(value)))
  }
  for (const { seq, bytes } of entry.checkpoints)
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

function uncount(store: StoreReader, tail: Tail, session: string, counters: Counters): void {
  const head = tail.sessions.get(session)?.head ?? readHeadRow(store, session)?.head
  if (head === undefined) return
  counters.sessions -= 1
  if (head.endedAt !== undefined) counters.endedSessions -= 1
  counters.records -= head.lastSeq + 1
  counters.bytes -= head.bytes
}
