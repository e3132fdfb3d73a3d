import type { ChunkPiece } from '../../drivers/lmdb/commit-chunk.ts'
import { readSeqKey, seqKey, sessionRange } from '../../drivers/lmdb/keys.ts'
import {
  encodeLostChunk,
  encodeSessionChunks,
  isWholePiece,
  readSessionChunk,
  runsOf,
  type StoredPiece,
} from '../../drivers/lmdb/session-chunk.ts'
import type { StoreBatch, StoreReader } from '../../drivers/lmdb/store.ts'
import type { LogRecord } from '../../log.ts'
import type { LostEntries } from '../readable-records.ts'

export interface LostParts {
  readonly store: StoreReader
  readonly slices: StoreBatch
}

/** Takes the damaged entries of a session out of its chunks, and writes in their place that they are lost. */
export function markLost({ store, slices }: LostParts, session: string, lost: readonly LostEntries[]): void {
  for (const { key, value } of store.rows('records', sessionRange(session))) {
    const piece = readSessionChunk(readSeqKey(key), value)
    if (piece !== undefined && !piece.isLost && isWholePiece(piece)) continue
    slices.remove('records', key)
    if (piece === undefined) continue
    for (const good of goodPieces(piece))
      for (const { firstSeq, bytes } of encodeSessionChunks(session, [good]))
        slices.put('records', seqKey(session, firstSeq), bytes)
  }
  for (const { fromSeq, toSeq } of lost)
    slices.put('records', seqKey(session, fromSeq), encodeLostChunk(session, fromSeq, toSeq - fromSeq + 1))
}

/** The records between those that cannot be read. */
function* goodPieces(piece: StoredPiece): Generator<ChunkPiece> {
  let records: LogRecord[] = []
  for (const run of runsOf(piece)) {
    if (run.records !== undefined) records.push(...run.records)
    else if (records.length > 0) {
      yield toPiece(records)
      records = []
    }
  }
  if (records.length > 0) yield toPiece(records)
}

function toPiece(records: readonly LogRecord[]): ChunkPiece {
  const lengths = Buffer.alloc(4 * records.length)
  for (const [index, { bytes }] of records.entries()) lengths.writeUInt32LE(bytes.byteLength, 4 * index)
  const chunk = Buffer.concat([lengths, ...records.map(({ bytes }) => bytes)])
  return { firstSeq: records[0]?.seq ?? 0, count: records.length, chunk, lengthsAt: 0 }
}
