import type { OpenCall } from '../../open-calls.ts'
import type { Kept } from './kept.ts'

/** What the frame of an event depends on besides the event. */
export interface Surroundings {
  readonly calls: readonly OpenCall[]
  /** The event came in a frame of this dialect. */
  readonly isOwn: boolean
  /** What the event kept of that frame. */
  readonly kept: Kept
}
