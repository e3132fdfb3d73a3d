import type { WireFormat } from './wire-format.ts'

/** Which part of a batch a slice is. */
export interface Slice {
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** The connection of a subscriber. */
export interface SubscriberConnection {
  readonly format: WireFormat
  /**
   * Writes a batch, or a slice of one; false if the caller must wait until `drained()` is called. Nothing
   * else is written between the slices of a batch.
   */
  write(bytes: Buffer, slice?: Slice): boolean
  /**
   * Whether another subscriber on the same socket has written only a part of a batch; `drained()` is called
   * when it is done.
   */
  isBusy?(): boolean
  /** Shows that the connection is alive; with a `cursor` if it moved without a frame. */
  heartbeat(cursor: string | undefined): void
  /**
   * The reader has received everything that there will ever be (`ended`), or everything that it asked for.
   */
  finish(done: { readonly cursor: string; readonly ended: boolean }): void
  /** Something failed; the reader reconnects with its cursor. With the error if the session cannot be read. */
  reset(cause?: unknown): void
}
