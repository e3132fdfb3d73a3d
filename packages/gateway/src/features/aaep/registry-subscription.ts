import type { Log } from '@sluice/log'
import { type Clock, type JsonObject, omitUndefined } from '@sluice/protocol'
import { createKeptStream } from '../../kernel/kept-stream.ts'
import type { Subscriber } from './agreement.ts'
import type { Places } from './registry-history.ts'
import { createJournal, type Journal } from './registry-journal.ts'
import { type Capabilities, type Terms, toTerms } from './terms.ts'

/** The mark that subscriptions are found by at start. */
export const subscriptionMark = 'aaep-subscription'

export interface SubscriptionFields {
  readonly subject: string
  readonly subscriber: Subscriber
  readonly honored: Capabilities
  /** Undefined: all that the subject may read, including those that begin later. */
  readonly sessions?: readonly string[]
  readonly after: 'start' | 'now'
  /** The places of sessions before anything is sent, unless that is their start. */
  readonly places?: Places
}

/** A durable subscription. The registry has one object for each, however often it is found. */
export interface Subscription extends Omit<SubscriptionFields, 'places'>, Journal {
  readonly id: string
  readonly terms: Terms
  readonly createdAt: number
  /** Aborts when the subscription is closed. */
  readonly closed: AbortSignal
  readonly isAttached: boolean
  /** Marks it as being read until the returned function is called; it does not expire meanwhile. */
  attach(): () => void
  /** Reports that it is in use. */
  touch(): void
  /** Replaces the honoured capabilities; they are durable and in effect when it resolves. */
  renegotiate(honored: Capabilities): Promise<void>
}

/** A subscription as its stream stores it. */
export interface SubscriptionInfo extends Omit<SubscriptionFields, 'places'> {
  readonly kind: 'aaep-subscription'
  readonly createdAt: number
}

export interface SubscriptionParts {
  readonly log: Log
  readonly clock: Clock
  readonly id: string
  readonly info: SubscriptionInfo
  /** The number of its journal. */
  readonly generation: number | undefined
  /** A repeated request finds the subscription by this key. */
  readonly key: string | undefined
  readonly ringSize: number
  /** Called whenever it is used. */
  onUse(): void
}

/** A subscription, with the operations that only the registry uses. */
export interface KeptSubscription {
  readonly subscription: Subscription
  /** Stores it for the first time. */
  begin(): Promise<void>
  /** Stores when it was last used. */
  putUsedAt(usedAt: number): Promise<void>
  /** Removes it and its journal. */
  remove(): Promise<void>
}

export function createSubscription(parts: SubscriptionParts): KeptSubscription {
  const { log, clock, id, onUse } = parts
  let { info } = parts
  let terms = toTerms(info.honored)
  let attached = 0
  const closing = new AbortController()
  const stream = createKeptStream(log, clock, id)
  const { remove: removeJournal, ...journal } = createJournal({
    log,
    clock,
    name: nameOf(id),
    generation: parts.generation,
    ringSize: parts.ringSize,
  })
  const key = parts.key === undefined ? {} : { key: parts.key }
  const markAt = (usedAt: number) => ({ [subscriptionMark]: { subject: info.subject, usedAt, ...key } })

  const subscription: Subscription = {
    id,
    subject: info.subject,
    subscriber: info.subscriber,
    ...omitUndefined({ sessions: info.sessions }),
    after: info.after,
    createdAt: info.createdAt,
    closed: closing.signal,
    get honored() {
      return info.honored
    },
    get terms() {
      return terms
    },
    get isAttached() {
      return attached > 0
    },
    attach() {
      attached += 1
      let isOver = false
      onUse()
      return () => {
        if (isOver) return
        isOver = true
        attached -= 1
        onUse()
      }
    },
    touch: onUse,
    async renegotiate(honored) {
      const next = { ...info, honored }
      await stream.append([], { info: fromSubscriptionInfo(next) })
      info = next
      terms = toTerms(honored)
    },
    ...journal,
  }

  return {
    subscription,
    begin: () => stream.append([], { info: fromSubscriptionInfo(info), marks: markAt(info.createdAt) }),
    putUsedAt: (usedAt) => stream.append([], { marks: markAt(usedAt) }),
    async remove() {
      await log.delete(id)
      closing.abort()
      await removeJournal()
    },
  }
}

/** The part after `sub_`. */
function nameOf(id: string): string {
  return id.slice('sub_'.length)
}

export function toSubscriptionInfo(info: JsonObject): SubscriptionInfo {
  return info as unknown as SubscriptionInfo // the log holds what fromSubscriptionInfo() made
}

function fromSubscriptionInfo(info: SubscriptionInfo): JsonObject {
  return info as unknown as JsonObject // plain JSON by its type
}
