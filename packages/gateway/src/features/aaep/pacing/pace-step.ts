import type { ToMonotonic } from './item.ts'
import type { PacedFrame } from './paced-frame.ts'
import type { PacerState } from './pacer.ts'

/** What a step of a pacer depends on. */
export interface PaceInput {
  /** In monotonic ms. */
  readonly now: number
  /** The monotonic time of an entry; without it, the times of entries are monotonic. */
  readonly toMonotonic?: ToMonotonic
  /** The rate allows another event. */
  readonly isReady: boolean
  /** More entries of the log will be added soon, so text is not cut before them. */
  readonly hasMore?: boolean
}

export type PaceStep =
  | { readonly type: 'emit'; readonly frame: PacedFrame }
  /** Something can be sent as soon as the rate allows it. */
  | { readonly type: 'full' }
  /** Nothing can be sent before `until`, in monotonic ms, unless an entry is added. */
  | { readonly type: 'wait'; readonly until: number }

/** The state after a step, and its result. */
export interface Paced {
  readonly state: PacerState
  readonly step: PaceStep
}

/** The same for a part of a step; if `step` is undefined, there is more to do. */
export interface PartlyPaced {
  readonly state: PacerState
  readonly step: PaceStep | undefined
}

export const full: PaceStep = { type: 'full' }
