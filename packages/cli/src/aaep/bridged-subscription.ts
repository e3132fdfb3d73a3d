import type { AaepSubscription, Client, SubscribeAaepOptions } from '@sluice/client'
import { isJsonObject, type JsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import type { Io } from '../io.ts'
import { watchConnection } from '../watch-connection.ts'
import { encodeNotification } from './json-rpc.ts'
import { toClosing } from './rpc-errors.ts'

/** The one subscription of a bridge and the requests of its subscriber. A failed request rejects. */
export interface BridgedSubscription {
  subscribe(params: JsonObject): Promise<JsonValue>
  /** Starts to forward events. Call it after the answer to `subscribe` is written, which must come first. */
  start(): void
  renegotiate(params: JsonObject): Promise<JsonValue>
  reply(params: JsonObject): Promise<JsonValue>
  close(params: JsonObject): Promise<JsonValue>
  /** Stops reading; the subscription remains and can be resumed. */
  leave(): Promise<void>
}

interface Current {
  readonly id: string
  readonly events: AaepSubscription
  release(): void
  pumping?: Promise<void>
}

export function createBridgedSubscription(
  client: Client,
  io: Io,
  write: (text: string) => Promise<void>,
): BridgedSubscription {
  let current: Current | undefined

  async function pump(from: Current): Promise<void> {
    let failure: unknown
    try {
      for await (const event of from.events) await write(encodeNotification('aaep.event', event))
    } catch (error) {
      failure = error
    }
    from.release()
    if (current !== from) return
    current = undefined
    // A failed write means that the reader is gone; then the input ends too.
    await write(encodeNotification('aaep.close', toClosing(from.id, failure))).catch(() => {})
  }

  /** Returns the current subscription. Throws `bad_request` without one, or if the message names another. */
  function find({ subscription_id }: JsonObject): Current {
    if (current === undefined)
      throw new SluiceError('bad_request', { message: 'There is no subscription yet; request one first.' })
    if (subscription_id !== undefined && subscription_id !== current.id)
      throw new SluiceError('bad_request', { message: 'This is not the id of the subscription.' })
    return current
  }

  async function end(ended: Current, work: Promise<unknown>): Promise<void> {
    current = undefined
    try {
      await work
    } finally {
      ended.release()
      await ended.pumping
    }
  }

  return {
    async subscribe(params) {
      if (current !== undefined)
        throw new SluiceError('bad_request', { message: 'There already is a subscription; close it first.' })
      const { signal, onConnection, release } = watchConnection(io)
      const events = client.subscribeAaep({}, { ...toOptions(params), signal, onConnection })
      try {
        const accepted = await events.accepted
        current = { id: accepted.subscription_id, events, release }
        return { ...accepted } as JsonObject // it came as JSON
      } catch (error) {
        release()
        throw error
      }
    },
    start() {
      if (current !== undefined) current.pumping ??= pump(current)
    },
    async renegotiate(params) {
      const { capabilities } = params
      if (!isJsonObject(capabilities))
        throw new SluiceError('bad_request', { message: 'capabilities must be an object.' })
      return { ...(await find(params).events.renegotiate(capabilities)) } as JsonObject // it came as JSON
    },
    async reply(params) {
      await find(params).events.send(params)
      return null
    },
    async close(params) {
      const found = find(params)
      const { reason_message } = params
      const reason = typeof reason_message === 'string' ? { reason: reason_message } : {}
      await end(found, found.events.close(reason))
      return null
    },
    async leave() {
      if (current !== undefined) await end(current, current.events.return())
    },
  }
}

/** Passes the message on unchanged. One that names an existing subscription resumes it (docs/aaep.md). */
function toOptions(params: JsonObject): SubscribeAaepOptions {
  const extensions = isJsonObject(params['extensions']) ? params['extensions'] : {}
  const { subscription_id, last_event_id } = isJsonObject(extensions['sluice']) ? extensions['sluice'] : {}
  if (typeof subscription_id !== 'string')
    return { request: { type: 'subscription.request', subscriber_id: 'stdio', ...params } }
  const lastEventId = typeof last_event_id === 'string' ? { lastEventId: last_event_id } : {}
  return { subscription: subscription_id, ...lastEventId }
}
