import type { A2aView } from './view.ts'

/** A place in the log, from which a message without an id gets one. */
export interface Place {
  readonly seq: number
  /** Units of the entry before the event. */
  readonly unit: number
}

/** The moment at which an event is written. */
export interface Moment {
  /** The view before the event. */
  readonly before: A2aView
  /** The view that includes the event. */
  readonly view: A2aView
  readonly place: Place
  /** When its entry came in, in ms since 1970. */
  readonly at: number
  /** The versions of A2A, the encoder's own first. */
  readonly dialects: readonly string[]
}
