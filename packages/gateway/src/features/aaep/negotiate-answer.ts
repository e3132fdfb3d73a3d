import { omitUndefined } from '@sluice/protocol'
import type { AaepMessage } from '@sluice/protocol/dialects'
import type { Rejection } from './agreement.ts'
import type { Capabilities } from './terms.ts'

export interface AcceptedFields {
  readonly id: string
  readonly honored: Capabilities
  readonly notes?: string
  readonly producer: AaepMessage<'subscription.accepted'>['producer']
  /** An absolute URL. */
  readonly manifestUri?: string
  /** A compact JWS. */
  readonly signedManifest?: string
}

/** The `subscription.accepted` of a subscription. */
export function toAccepted(fields: AcceptedFields): AaepMessage<'subscription.accepted'> {
  const { id, honored, notes, producer, manifestUri, signedManifest } = fields
  return omitUndefined({
    type: 'subscription.accepted',
    subscription_id: id,
    aaep_version: '1.0.0',
    producer,
    honored_capabilities: honored,
    manifest_uri: manifestUri,
    signed_manifest: signedManifest,
    negotiation_notes: notes,
  })
}

/** The `subscription.rejected` of a rejection. */
export function toRejected(rejection: Rejection): AaepMessage<'subscription.rejected'> {
  const { code, message, retryAfterSeconds } = rejection
  return omitUndefined({
    type: 'subscription.rejected',
    reason_code: code,
    reason_message: message,
    retry_after_seconds: retryAfterSeconds,
  })
}
