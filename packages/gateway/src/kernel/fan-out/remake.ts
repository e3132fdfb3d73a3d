import type { Entry } from '@sluice/protocol'
import { type Batch, type Encoding, encodeEntries, toBytes } from './batch.ts'
import { flushPosition, type Position, type RestoreSource } from './position.ts'

export interface ReleasedBatch {
  readonly start: Position
  readonly endSeq: number
  readonly sliceBytes: number
}

/** Encodes a batch again that was sent in part: the same bytes. Undefined if the session no longer has its entries. */
export async function encodeReleased(
  { spec, format }: Encoding,
  source: RestoreSource,
  { start, endSeq, sliceBytes }: ReleasedBatch,
): Promise<Batch | undefined> {
  if (start.seq === endSeq) {
    // Without an entry, it was held text whose span had ended.
    const { position, frames } = flushPosition(spec, start)
    return { start, end: position, bytes: toBytes(format, frames), frames: frames.length }
  }
  const entries: Entry[] = []
  for (let last = start.seq; last < endSeq; last = entries.at(-1)?.seq ?? endSeq) {
    const more = await source.read(last + 1, sliceBytes)
    if (more.length === 0) return undefined
    entries.push(...more.filter(({ seq }) => seq <= endSeq))
  }
  return encodeEntries({ spec, format }, entries, { start, maxBytes: Number.POSITIVE_INFINITY })[0]
}
