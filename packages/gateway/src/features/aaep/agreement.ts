import type { AaepMessage } from '@sluice/protocol/dialects'
import type { Capabilities, Terms } from './terms.ts'

export type RejectionCode = AaepMessage<'subscription.rejected'>['reason_code']

/** What the gateway has to give to the one who asks. */
export interface Offer {
  /** The languages in which the gateway has sentences of its own. */
  readonly languages: readonly string[]
  /** The contexts of the extensions that it knows. */
  readonly extensions: readonly string[]
  /** Whether its manifest is signed. */
  readonly isSigned: boolean
  /** Whether the credential may answer questions. */
  readonly canAnswer: boolean
}

/** Who asks, as the request tells. */
export interface Subscriber {
  readonly id: string
  readonly name?: string
  readonly version?: string
}

export interface Agreement {
  readonly ok: true
  readonly terms: Terms
  /** What was asked for and is granted; it never exceeds the request. */
  readonly honored: Capabilities
  /** What the client should know, as `negotiation_notes`. */
  readonly notes?: string
}

export interface Rejection {
  readonly ok: false
  readonly code: RejectionCode
  readonly message: string
  readonly retryAfterSeconds?: number
}
