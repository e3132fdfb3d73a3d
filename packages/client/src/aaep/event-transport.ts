import type { AaepFrame } from '@sluice/protocol/dialects'
import type { Attempt } from '../stay-connected.ts'

/** Which subscription is read, and from where. */
export interface AaepPlace {
  readonly subscription: string
  /** Behind which event to go on, asked anew whenever reading begins; empty is from the beginning. */
  lastEventId(): string
}

/** Events that came together, and behind which one to go on when they are taken; empty when none came yet. */
export interface AaepBatch {
  readonly events: readonly AaepFrame[]
  readonly lastEventId: string
}

/** One connection that reads a subscription. Returns when nothing will ever follow; whatever else stops it is thrown. */
export type AaepTransport = (place: AaepPlace, attempt: Attempt) => AsyncGenerator<AaepBatch, void>
