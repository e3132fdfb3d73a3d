import { isJsonObject, type JsonObject } from '@sluice/protocol'
import type { AaepFrame, AaepMessage } from '@sluice/protocol/dialects'

/** What a subscriber can take, in the words of the contract (AAEP §5). What is left out has the contract's default. */
export type AaepTerms = AaepMessage<'subscription.request'>['capabilities']

/** That a subscription stands, and on which terms. */
export type AaepAccepted = AaepMessage<'subscription.accepted'>

/** Who subscribes, as the producer may log and show it. */
export interface AaepSubscriber {
  readonly id: string
  readonly name?: string
  readonly version?: string
  readonly manifestUri?: string
}

/** An event that asks something: `agent.awaiting.confirmation` or `agent.awaiting.clarification`. */
export type AaepQuestion = Pick<AaepFrame, 'type'> & { readonly reply_token?: unknown }

/** Where the sessions of a subscription come from. */
export interface AaepScope {
  /** Up to 256 ids. Without it all that the credential may see, also those that begin later. */
  readonly sessions?: readonly string[]
  /** Named sessions are read from their start, others from now; this says otherwise. */
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

/** The request that takes up a subscription which `request` made, on the terms that hold. */
export function toResumption(
  request: JsonObject,
  terms: AaepTerms,
  subscription: string,
  lastEventId: string,
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
