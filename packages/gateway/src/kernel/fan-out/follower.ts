import type { Batch } from './batch.ts'
import type { Position } from './position.ts'

/** A subscriber that reads a view, at its head or from the batches that it keeps. */
export interface Follower {
  readonly position: Position
  /**
   * Writes a new batch and returns true; or returns false, and writes and counts the batch itself when it
   * can.
   */
  take(batch: Batch, now: number): boolean
  /** It is stalled, and the view no longer keeps what follows its position. */
  pass(): void
  /** Nothing follows. */
  end(): void
}
