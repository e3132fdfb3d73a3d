import type { Clock } from '@sluice/protocol'
import type { Batch } from './batch.ts'
import type { RingBudget, RingShare } from './ring-budget.ts'
import type { Slice, SubscriberConnection } from './subscriber-connection.ts'

export interface BatchWriterParts {
  readonly connection: SubscriberConnection
  readonly clock: Clock
  readonly sliceBytes: number
  /** Large batches of stalled connections count against it; the one that stalled first is freed first. */
  readonly budget: RingBudget
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
  /** The part of the budget that the unfinished batch takes. */
  share: RingShare | undefined
}

type Unfinished =
  | { readonly type: 'kept'; readonly batch: Batch; readonly offset: number }
  /** The batch is not kept: it must be made again, and its first `offset` bytes skipped. */
  | { readonly type: 'released'; readonly offset: number }

/** The largest batch that is kept for a stalled connection. */
const maxKeptBytes = 256 * 1024

export function createBatchWriter(parts: BatchWriterParts): BatchWriter {
  return {
    parts,
    unfinished: undefined,
    stalledSince: undefined,
    lastSentAt: parts.clock.monotonic(),
    share: undefined,
  }
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
  holdLarge(writer)
}

/** Counts a large batch that waits for its connection. */
function holdLarge(writer: BatchWriter): void {
  const { unfinished } = writer
  if (writer.share !== undefined || unfinished?.type !== 'kept') return
  const { length } = unfinished.batch.bytes
  if (length <= maxKeptBytes) return
  writer.share = writer.parts.budget.join(() => freeLarge(writer))
  writer.share.take(length)
}

/** Frees the rest of a large batch, which is made again when the connection drains. */
function freeLarge(writer: BatchWriter): void {
  const { unfinished } = writer
  if (unfinished?.type !== 'kept' || unfinished.batch.bytes.length <= maxKeptBytes) return
  if (unfinished.batch.isUnique === true) return
  writer.unfinished = { type: 'released', offset: unfinished.offset }
  endShare(writer, unfinished.batch)
}

function endShare(writer: BatchWriter, { bytes }: Batch): void {
  if (writer.share === undefined) return
  writer.share.leave()
  writer.share = undefined
  writer.parts.budget.release(bytes.length)
}

/** Ends the use of a connection. */
export function closeBatchWriter(writer: BatchWriter): void {
  if (writer.unfinished?.type === 'kept') endShare(writer, writer.unfinished.batch)
}

function writeSlice(writer: BatchWriter, batch: Batch, offset: number): void {
  const { bytes } = batch
  const end = Math.min(bytes.length, offset + writer.parts.sliceBytes)
  const isLast = end === bytes.length
  const slice = bytes.subarray(offset, end)
  // A slice keeps its whole buffer alive, so slices of a large one are copied.
  write(writer, bytes.length > maxKeptBytes ? Buffer.from(slice) : slice, { isFirst: offset === 0, isLast })
  writer.unfinished = isLast ? undefined : { type: 'kept', batch, offset: end }
  if (!isLast) return
  endShare(writer, batch)
  writer.parts.onWritten(batch)
}

function write(writer: BatchWriter, bytes: Buffer, slice?: Slice): void {
  writer.lastSentAt = writer.parts.clock.monotonic()
  if (!writer.parts.connection.write(bytes, slice)) writer.stalledSince ??= writer.lastSentAt
}

/** Frees the rest of a large batch if the connection has stalled since `before`, in monotonic ms. */
export function releaseBatch(writer: BatchWriter, before: number): void {
  if (writer.stalledSince !== undefined && writer.stalledSince <= before) freeLarge(writer)
}
