import type { Clock } from '@sluice/protocol'
import type { Batch } from './batch.ts'
import type { Slice, SubscriberConnection } from './subscriber-connection.ts'

export interface BatchWriterParts {
  readonly connection: SubscriberConnection
  readonly clock: Clock
  readonly sliceBytes: number
  /** A batch that was passed to `sendBatch()` is completely written. */
  onWritten(batch: Batch): void
}

/**
 * Writes batches to a connection, large ones in slices, while it accepts bytes. A record with functions,
 * because a thousand readers have one each and every batch uses all of them: methods would be a thousand
 * closures.
 */
export interface BatchWriter {
  readonly parts: BatchWriterParts
  /** The batch that is only partly written. */
  unfinished: Unfinished | undefined
  /** Since when nothing could be written, in monotonic ms; possible with and without an unfinished batch. */
  stalledSince: number | undefined
  lastSentAt: number
}

type Unfinished =
  | { readonly type: 'kept'; readonly batch: Batch; readonly offset: number }
  /** The batch up to entry `endSeq` is not kept: it must be made again, and its first `offset` bytes skipped. */
  | { readonly type: 'released'; readonly offset: number; readonly endSeq: number }

export function createBatchWriter(parts: BatchWriterParts): BatchWriter {
  return { parts, unfinished: undefined, stalledSince: undefined, lastSentAt: parts.clock.monotonic() }
}

/** Whether another batch can be written. */
export function isFree({ stalledSince, unfinished }: BatchWriter): boolean {
  return stalledSince === undefined && unfinished?.type !== 'kept'
}

/** Writes a batch that is not empty, or as much of it as the connection accepts. */
export function sendBatch(writer: BatchWriter, batch: Batch): void {
  const { unfinished } = writer
  const { connection, sliceBytes, onWritten } = writer.parts
  if (unfinished === undefined && batch.bytes.length <= sliceBytes && connection.isBusy?.() !== true) {
    write(writer, batch.bytes)
    onWritten(batch)
    return
  }
  writer.unfinished = { type: 'kept', batch, offset: unfinished?.offset ?? 0 }
  resumeBatch(writer)
}

/** Writes the rest of an unfinished batch, slice by slice. */
export function resumeBatch(writer: BatchWriter): void {
  const { connection, clock } = writer.parts
  while (writer.unfinished?.type === 'kept' && writer.stalledSince === undefined) {
    if (connection.isBusy?.() === true) writer.stalledSince = clock.monotonic()
    else writeSlice(writer, writer.unfinished.batch, writer.unfinished.offset)
  }
}

/** Frees the rest of an unfinished batch, which must be made again when the connection drains. */
export function releaseBatch(writer: BatchWriter): void {
  const { unfinished } = writer
  if (unfinished?.type !== 'kept') return
  writer.unfinished = { type: 'released', offset: unfinished.offset, endSeq: unfinished.batch.end.seq }
}

function writeSlice(writer: BatchWriter, batch: Batch, offset: number): void {
  const { bytes } = batch
  const end = Math.min(bytes.length, offset + writer.parts.sliceBytes)
  const isLast = end === bytes.length
  const slice = bytes.subarray(offset, end)
  // A slice keeps its whole buffer alive, so slices are copied.
  const isWhole = slice.length === bytes.length
  write(writer, isWhole ? slice : Buffer.from(slice), { isFirst: offset === 0, isLast })
  writer.unfinished = isLast ? undefined : { type: 'kept', batch, offset: end }
  if (isLast) writer.parts.onWritten(batch)
}

function write(writer: BatchWriter, bytes: Buffer, slice?: Slice): void {
  writer.lastSentAt = writer.parts.clock.monotonic()
  if (!writer.parts.connection.write(bytes, slice)) writer.stalledSince ??= writer.lastSentAt
}
