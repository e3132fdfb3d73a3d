import { isJsonObject, type JsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import type { UpstreamRequests } from './upstream-requests.ts'
import type { UpstreamStore } from './upstream-store.ts'

/** What a follower requests: every event, as it arrives, at full length. */
const capabilities: JsonObject = {
  preferred_verbosity: 'detailed',
  coalesce_boundaries: ['none', 'word', 'sentence', 'paragraph', 'completion'],
  event_filters: { include: ['*'], exclude: [] },
  supported_conformance_levels: [1, 2, 3],
  cognitive_load: 'high',
}

/** The subscription of a gateway to a remote producer. */
export interface UpstreamSubscription {
  /**
   * Ensures that a subscription on these terms exists. Rejects when the producer refuses or cannot be
   * reached.
   */
  ensure(offers: boolean): Promise<void>
  /** Informs the producer whether questions can be answered, unless it knows. Rejects like ensure(). */
  offer(offers: boolean): Promise<void>
  /** Forgets the subscription, because the producer does not know it any longer. */
  lose(): Promise<void>
  /** The path of the events. */
  readonly eventsPath: string
  /** Sends a reply; whether the answer is final follows from its status. */
  reply(message: JsonObject): Promise<'taken' | 'refused' | 'later'>
}

export interface UpstreamSubscriptionParts {
  readonly requests: UpstreamRequests
  readonly store: UpstreamStore
  /** The producer is known to have no handshake. */
  readonly isPlain: boolean
  /**
   * The subscription id in replies to a producer without a handshake, which assigns none: AAEP requires one.
   */
  readonly plainId: string
  readonly subscriber: { readonly id: string; readonly name: string; readonly version: string }
}

/** Statuses of a server that does not know the path. */
const unknownAddress: readonly number[] = [404, 405, 501]
/** Refusals that may be temporary: of the credential, of the rate, of a subscription that is made again. */
const passing: readonly number[] = [401, 403, 404, 408, 410, 425, 429]

export function createUpstreamSubscription(parts: UpstreamSubscriptionParts): UpstreamSubscription {
  const { requests, store, subscriber } = parts
  const isPlain = (): boolean => parts.isPlain || store.place.isPlain === true

  const subscribe = async (offers: boolean): Promise<void> => {
    const { status, answer } = await requests.post('/aaep/v1/subscriptions', {
      type: 'subscription.request',
      aaep_version: '1.0.0',
      subscriber_id: subscriber.id,
      subscriber_name: subscriber.name,
      subscriber_version: subscriber.version,
      capabilities: { ...capabilities, ...replies(offers) },
    })
    if (unknownAddress.includes(status)) return store.move({ isPlain: true })
    const { type, subscription_id: subscription } = answer
    if (type !== 'subscription.accepted' || !isSubscriptionId(subscription)) throw toRefusal(status, answer)
    await store.move({ subscription, offers, lastEventId: undefined })
  }

  const subscription: UpstreamSubscription = {
    async ensure(offers) {
      if (isPlain()) return
      if (store.place.subscription !== undefined) await subscription.offer(offers)
      if (store.place.subscription === undefined) await subscribe(offers)
    },
    async offer(offers) {
      const { subscription: id, offers: known } = store.place
      if (isPlain() || id === undefined || known === offers) return
      const { status, answer } = await requests.post('/aaep/v1/replies', {
        type: 'subscription.renegotiate',
        subscription_id: id,
        capabilities: replies(offers),
      })
      if (status < 300) return store.move({ offers })
      // A refused renegotiation ends the subscription (AAEP §5.7).
      const isOver = answer['type'] === 'subscription.rejected' || status === 404 || status === 410
      if (!isOver) throw toRefusal(status, answer)
      await subscription.lose()
    },
    async lose() {
      // The producer may gain a handshake, or another one may answer at its address.
      await store.move({
        subscription: undefined,
        offers: undefined,
        isPlain: undefined,
        lastEventId: undefined,
      })
    },
    get eventsPath() {
      const { subscription: id = '' } = store.place
      return isPlain() ? '/events' : `/aaep/v1/events?subscription_id=${id}`
    },
    async reply(message) {
      const { subscription: id } = store.place
      if (!isPlain() && id === undefined) return 'later'
      const { status } = await requests.post(isPlain() ? '/messages' : '/aaep/v1/replies', {
        ...message,
        subscription_id: id ?? parts.plainId,
      })
      if (status >= 200 && status < 300) return 'taken'
      return status >= 500 || passing.includes(status) ? 'later' : 'refused'
    },
  }
  return subscription
}

function replies(offers: boolean): JsonObject {
  return { supports_confirmation_reply: offers, supports_clarification_reply: offers }
}

/** The longest wait that a producer may ask for. */
const maxRetryAfterMs = 300_000

/** The error of a refused subscription: the producer's reason, and how long it asks to wait. */
function toRefusal(status: number, answer: JsonObject): SluiceError {
  const { reason_code: reason, retry_after_seconds: seconds } = isJsonObject(answer) ? answer : {}
  return new SluiceError('fetch_failed', {
    message: 'The producer takes no subscription.',
    details: {
      status,
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(typeof seconds === 'number'
        ? { retryAfterMs: Math.min(maxRetryAfterMs, Math.max(0, seconds * 1000)) }
        : {}),
    },
  })
}

function isSubscriptionId(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^sub_[A-Za-z0-9]{1,64}$/.test(value)
}
