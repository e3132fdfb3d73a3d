import type { AaepSubscription, Client, SubscribeAaepOptions } from '@sluice/client'
import { isJsonObject, type JsonObject, type JsonValue, SluiceError } from '@sluice/protocol'
import type { Io } from '../io.ts'
import { watchConnection } from '../watch-connection.ts'
import { encodeNotification } from './json-rpc.ts'
import { toClosing } from './rpc-errors.ts'

/** The one subscription of a bridge, with what its subscriber may ask. What fails is thrown. */
export interface BridgedSubscription {
  subscribe(params: JsonObject): Promise<JsonValue>
  /** Begins to hand on events. Called when the answer to `subscribe` is out: nothing comes before it. */
  start(): void
  renegotiate(params: JsonObject): Promise<JsonValue>
  reply(params: JsonObject): Promise<JsonValue>
  close(params: JsonObject): Promise<JsonValue>
  /** Ends the reading; the subscription stays and can be taken up again. */
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
    // Where nobody reads any more, the input ends too.
    await write(encodeNotification('aaep.close', toClosing(from.id, failure))).catch(() => {})
  }

  /** The subscription that a message is about: the one there is. */
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

/** The message goes on as it is; what names a subscription that stands takes that one up (docs/aaep.md). */
function toOptions(params: JsonObject): SubscribeAaepOptions {
  const extensions = isJsonObject(params['extensions']) ? params['extensions'] : {}
  const { subscription_id, last_event_id } = isJsonObject(extensions['sluice']) ? extensions['sluice'] : {}
  if (typeof subscription_id !== 'string')
    return { request: { type: 'subscription.request', subscriber_id: 'stdio', ...params } }
  const lastEventId = typeof last_event_id === 'string' ? { lastEventId: last_event_id } : {}
  return { subscription: subscription_id, ...lastEventId }
}
