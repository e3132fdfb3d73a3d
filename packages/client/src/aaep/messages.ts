import { isJsonObject, type JsonObject } from '@sluice/protocol'
import type { AaepFrame, AaepMessage } from '@sluice/protocol/dialects'

/** The capabilities of a subscriber, in the words of AAEP (§5). Omitted ones have AAEP's defaults. */
export type AaepTerms = AaepMessage<'subscription.request'>['capabilities']

/** The gateway has accepted a subscription, on these terms. */
export type AaepAccepted = AaepMessage<'subscription.accepted'>

/** The subscriber, as the producer may log and show it. */
export interface AaepSubscriber {
  readonly id: string
  readonly name?: string
  readonly version?: string
  readonly manifestUri?: string
}

/** An event that asks something: `agent.awaiting.confirmation` or `agent.awaiting.clarification`. */
export type AaepQuestion = Pick<AaepFrame, 'type'> & { readonly reply_token?: unknown }

/** Which sessions a subscription covers. */
export interface AaepScope {
  /** Up to 256 ids. Default: all sessions that the credential may see, including those that begin later. */
  readonly sessions?: readonly string[]
  /** Where to start. Default: named sessions from their start, all others from now. */
  readonly after?: 'start' | 'now'
}

export function toRequest(terms: AaepTerms, subscriber: AaepSubscriber, scope: AaepScope): JsonObject {
  const { sessions, after } = scope
  return {
    type: 'subscription.request',
    aaep_version: '1.0.0',
    subscriber_id: subscriber.id,
    subscriber_name: subscriber.name,
    subscriber_version: subscriber.version,
    subscriber_manifest_uri: subscriber.manifestUri,
    capabilities: terms,
    extensions: sessions === undefined && after === undefined ? undefined : { sluice: { sessions, after } },
  }
}

/** The request that resumes the subscription that `request` created, on its current terms. */
export function toResumption(
  request: JsonObject,
  terms: AaepTerms,
  { subscription, lastEventId }: { readonly subscription: string; readonly lastEventId: string },
): JsonObject {
  const { extensions } = request
  const sluice = {
    subscription_id: subscription,
    ...(lastEventId === '' ? {} : { last_event_id: lastEventId }),
  }
  return {
    ...request,
    capabilities: { ...terms },
    extensions: { ...(isJsonObject(extensions) ? extensions : {}), sluice },
  }
}
