import type { AaepMessage } from '@sluice/protocol/dialects'
import type { Capabilities, Terms } from './terms.ts'

export type RejectionCode = AaepMessage<'subscription.rejected'>['reason_code']

/** What the gateway can offer a subscriber. */
export interface Offer {
  /** The languages in which the gateway can phrase sentences. */
  readonly languages: readonly string[]
  /** The contexts of the extensions that the gateway knows. */
  readonly extensions: readonly string[]
  /** Whether its manifest is signed. */
  readonly isSigned: boolean
  /** Whether the credential may answer questions. */
  readonly canAnswer: boolean
}

/** The subscriber, as its request describes it. */
export interface Subscriber {
  readonly id: string
  readonly name?: string
  readonly version?: string
}

export interface Agreement {
  readonly ok: true
  readonly terms: Terms
  /** The requested capabilities that are granted; never exceeds the request. */
  readonly honored: Capabilities
  /** What the client should know, sent as `negotiation_notes`. */
  readonly notes?: string
}

export interface Rejection {
  readonly ok: false
  readonly code: RejectionCode
  readonly message: string
  readonly retryAfterSeconds?: number
}
