import type { AaepMessage } from '@sluice/protocol/dialects'
import type { Rejection } from './agreement.ts'
import type { Capabilities } from './terms.ts'

export interface AcceptedFields {
  readonly id: string
  readonly honored: Capabilities
  readonly notes?: string
  readonly producer: AaepMessage<'subscription.accepted'>['producer']
  /** An absolute address. */
  readonly manifestUri?: string
  /** A compact JWS. */
  readonly signedManifest?: string
}

/** The `subscription.accepted` of a subscription. */
export function toAccepted(fields: AcceptedFields): AaepMessage<'subscription.accepted'> {
  const { id, honored, notes, producer, manifestUri, signedManifest } = fields
  return {
    type: 'subscription.accepted',
    subscription_id: id,
    aaep_version: '1.0.0',
    producer,
    honored_capabilities: honored,
    ...(manifestUri === undefined ? {} : { manifest_uri: manifestUri }),
    ...(signedManifest === undefined ? {} : { signed_manifest: signedManifest }),
    ...(notes === undefined ? {} : { negotiation_notes: notes }),
  }
}

/** The `subscription.rejected` that tells why. */
export function toRejected(rejection: Rejection): AaepMessage<'subscription.rejected'> {
  const { code, message, retryAfterSeconds } = rejection
  return {
    type: 'subscription.rejected',
    reason_code: code,
    reason_message: message,
    ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
  }
}
