import { type JsonObject, omitUndefined } from '@sluice/protocol'
import { until } from '../../testing/until.ts'

/** Which subscription to read, and from where. */
export interface AaepRequest {
  readonly url: string
  readonly key: string
  readonly terms?: JsonObject
  readonly sessions?: readonly string[]
  readonly after?: 'start' | 'now'
  /** Resumes this subscription after `lastEventId`. */
  readonly subscription?: string
  readonly lastEventId?: string
}

/** One connection that reads one subscription. */
export interface AaepReading {
  readonly subscription: string
  /** All events so far. */
  readonly events: readonly JsonObject[]
  /** How it ended; undefined while it is open. `over`: the gateway said that nothing follows. */
  readonly closed: 'over' | 'broken' | 'cut' | undefined
  /** Sends a message of AAEP; resolves once the gateway has accepted it, if the transport reports that. */
  say(message: JsonObject): Promise<void>
  /** Stops reading. */
  stall(): void
  readOn(): void
  /** Breaks the connection; nothing is added to `events` afterwards. */
  cut(): void
}

/** Opens a connection, and makes the subscription if none is named. Rejects if it is refused. */
export type AaepTransport = (request: AaepRequest) => Promise<AaepReading>

/** The `subscription.request` of a client with these terms. */
export function toSubscriptionRequest(request: AaepRequest, more: JsonObject = {}): JsonObject {
  const { terms = {}, sessions, after } = request
  return {
    type: 'subscription.request',
    aaep_version: '1.0.0',
    subscriber_id: 'e2e',
    capabilities: terms,
    extensions: {
      sluice: {
        ...omitUndefined({ sessions: sessions === undefined ? undefined : [...sessions], after }),
        ...more,
      },
    },
  }
}

/** Waits for the first event that matches; fails if the connection ends first. */
export async function waitForEvent(
  reading: AaepReading,
  fits: (event: JsonObject) => boolean,
): Promise<JsonObject> {
  let found: JsonObject | undefined
  let looked = 0
  await until(() => {
    while (found === undefined && looked < reading.events.length) {
      const event = reading.events[looked]
      looked += 1
      if (event !== undefined && fits(event)) found = event
    }
    if (found === undefined && reading.closed !== undefined)
      throw new Error(`the connection ended (${reading.closed}) after ${looked} events`)
    return found !== undefined
  })
  return found ?? {}
}

export const isOfType =
  (type: string) =>
  (event: JsonObject): boolean =>
    event['type'] === `aaep:agent.${type}`

/** The reply to a confirmation. */
export function toReply(token: string, decision: string, subscription: string): JsonObject {
  return {
    type: 'confirmation.reply',
    reply_token: token,
    decision,
    subscription_id: subscription,
    timestamp: new Date().toISOString(),
  }
}
