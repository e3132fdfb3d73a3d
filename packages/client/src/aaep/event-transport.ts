import type { AaepFrame } from '@sluice/protocol/dialects'
import type { Attempt } from '../stay-connected.ts'

/** Which subscription is read, and from where. */
export interface AaepPlace {
  readonly subscription: string
  /** The event after which to continue, asked for again whenever reading starts; empty for the beginning. */
  lastEventId(): string
}

/**
 * Events that arrived together, and the event after which to continue once they are taken; empty if there is
 * none yet.
 */
export interface AaepBatch {
  readonly events: readonly AaepFrame[]
  readonly lastEventId: string
}

/**
 * One connection that reads a subscription. Returns if nothing can follow, and throws if anything else stops
 * it.
 */
export type AaepTransport = (place: AaepPlace, attempt: Attempt) => AsyncGenerator<AaepBatch, void>
