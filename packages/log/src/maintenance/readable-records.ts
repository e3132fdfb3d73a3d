import { readSeqKey, sessionRange } from '../drivers/lmdb/keys.ts'
import { isChecked, readHead } from '../drivers/lmdb/reading.ts'
import { pieceRecords, readSessionChunk, runsOf } from '../drivers/lmdb/session-chunk.ts'
import type { StoreReader } from '../drivers/lmdb/store.ts'
import { piecesOf, type Tail } from '../drivers/lmdb/tail.ts'
import type { LogRecord, SessionHead } from '../log.ts'

/** Consecutive entries that cannot be read. */
export interface LostEntries {
  readonly fromSeq: number
  readonly toSeq: number
  readonly bytes: number
  /** An earlier repair listed them. */
  readonly isKnown: boolean
}

export type ReadablePart =
  | { readonly record: LogRecord; readonly lost?: undefined }
  | { readonly lost: LostEntries; readonly record?: undefined }

/** All records of a session that can be read, in order, and between them what cannot. */
export function* readableRecords(store: StoreReader, tail: Tail, session: string): Generator<ReadablePart> {
  const pieces = piecesOf(tail.sessions.get(session))
  const end = pieces[0]?.firstSeq ?? (headOf(store, tail, session)?.lastSeq ?? -1) + 1
  let next = 0
  let lostBytes = 0
  // Up to where an earlier repair says that everything from `next` on is lost.
  let knownUntil = 0
  const lostUntil = (seq: number): ReadablePart => {
    const lost = { fromSeq: next, toSeq: seq - 1, bytes: lostBytes, isKnown: knownUntil >= seq }
    next = seq
    lostBytes = 0
    return { lost }
  }
  for (const { key, value } of store.rows('records', sessionRange(session))) {
    const place = readSeqKey(key)
    const piece = readSessionChunk(place, value, { isChecked: isChecked(store) })
    if (piece === undefined) {
      lostBytes += value.length
      continue
    }
    for (const run of runsOf(piece)) {
      if (run.records === undefined) {
        lostBytes += run.bytes
        if (piece.isLost && run.firstSeq <= Math.max(next, knownUntil)) knownUntil = run.firstSeq + run.count
        continue
      }
      if (run.firstSeq > next) yield lostUntil(run.firstSeq)
      for (const record of run.records) {
        if (record.seq < next || (pieces.length > 0 && record.seq >= end)) continue
        yield { record }
        next = record.seq + 1
      }
    }
  }
  if (next < end) yield lostUntil(end)
  for (const piece of pieces) for (const record of pieceRecords(piece, next)) yield { record }
}

function headOf(store: StoreReader, tail: Tail, session: string): SessionHead | undefined {
  try {
    return readHead(store, tail, session)
  } catch {
    return undefined
  }
}
