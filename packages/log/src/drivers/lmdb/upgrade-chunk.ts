import { seqKey } from './keys.ts'
import { encodeSessionChunks, readSessionChunk } from './session-chunk.ts'
import type { StoreBatch } from './store.ts'

export interface GivenChunk {
  readonly session: string
  readonly seq: number
  readonly chunk: Buffer
  /** The chunk comes from a store whose values have checks. */
  readonly isChecked: boolean
}

/**
 * Puts a chunk into a store whose chunks have checks. One that cannot be read stays as it is, and is found
 * damaged when it is read.
 */
export function upgradeChunk(batch: StoreBatch, { session, seq, chunk, isChecked }: GivenChunk): void {
  const piece = isChecked ? undefined : readSessionChunk({ session, seq }, chunk, { isChecked })
  if (piece === undefined) batch.put('records', seqKey(session, seq), chunk)
  else
    for (const { firstSeq, bytes } of encodeSessionChunks(session, [piece]))
      batch.put('records', seqKey(session, firstSeq), bytes)
}
