import { isJsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'
import { isSessionId } from '@sluice/protocol/dialects'

/** Which sessions a subscription covers, and from where (docs/aaep.md, Handshake). */
export interface SessionChoice {
  /** Undefined: all that the credential may read, including those that begin later. */
  readonly sessions?: readonly string[]
  readonly after?: 'start' | 'now'
  /** The subscription to resume instead of creating one. */
  readonly subscriptionId?: string
  readonly lastEventId?: string
}

/** How many sessions a subscription may name. */
const maxNamedSessions = 256

const fieldNames: ReadonlySet<string> = new Set(['sessions', 'after', 'subscription_id', 'last_event_id'])
const subscriptionIdPattern = /^sub_[A-Za-z0-9]{1,64}$/
const eventIdPattern = /^evt_[A-Za-z0-9]{1,64}$/

/**
 * Reads `extensions.sluice` of a request; without it, nothing is chosen. Returns a sentence if it is invalid.
 */
export function readChoice(value: JsonValue | undefined): SessionChoice | string {
  if (value === undefined) return {}
  if (!isJsonObject(value) || Object.keys(value).some((name) => !fieldNames.has(name)))
    return `extensions.sluice has no other fields than ${[...fieldNames].join(', ')}.`
  const { sessions, after, subscription_id: subscriptionId, last_event_id: lastEventId } = value
  if (sessions !== undefined && !isSessionList(sessions))
    return `extensions.sluice.sessions is a list of 1 to ${maxNamedSessions} session ids, each of them once.`
  if (after !== undefined && after !== 'start' && after !== 'now')
    return 'extensions.sluice.after is start or now.'
  if (subscriptionId !== undefined && !isMatch(subscriptionId, subscriptionIdPattern))
    return 'extensions.sluice.subscription_id is no id of a subscription.'
  if (lastEventId !== undefined && !isMatch(lastEventId, eventIdPattern))
    return 'extensions.sluice.last_event_id is no id of an event.'
  if (lastEventId !== undefined && subscriptionId === undefined)
    return 'extensions.sluice.last_event_id needs a subscription_id beside it.'
  return omitUndefined({
    sessions,
    after,
    subscriptionId,
    lastEventId,
  })
}

function isSessionList(value: JsonValue): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= maxNamedSessions &&
    value.every((id) => typeof id === 'string' && isSessionId(id)) &&
    new Set(value).size === value.length
  )
}

function isMatch(value: JsonValue, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}
