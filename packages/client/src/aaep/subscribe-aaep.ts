import { type JsonObject, SluiceError } from '@sluice/protocol'
import type { AaepFrame } from '@sluice/protocol/dialects'
import type { ConnectionListener } from '../connection-state.ts'
import { followSignal } from '../follow-signal.ts'
import { type Iteration, iterate } from '../iterate.ts'
import { orAborted } from '../or-aborted.ts'
import type { Abortable } from '../sessions.ts'
import type { SseParts } from '../sse-stream.ts'
import { type StayConnectedOptions, stayConnected } from '../stay-connected.ts'
import type { TransportName } from '../transport.ts'
import type { WebSocketConstructor } from '../web-socket.ts'
import type { AaepBatch } from './event-transport.ts'
import { shakeHands } from './handshake.ts'
import {
  type AaepAccepted,
  type AaepQuestion,
  type AaepScope,
  type AaepSubscriber,
  type AaepTerms,
  toRequest,
} from './messages.ts'
import { createMutex } from './mutex.ts'
import { createRecentIds } from './recent-ids.ts'
import { type AaepReceipt, createReplies, type ReplyOptions } from './replies.ts'
import { createSocketEvents } from './socket-events.ts'
import { createSseEvents } from './sse-events.ts'

export interface SubscribeAaepOptions extends AaepScope, Abortable {
  readonly subscriber?: AaepSubscriber
  /** A complete `subscription.request`, instead of one made from these options. */
  readonly request?: JsonObject
  /** Resumes this subscription after `lastEventId`, with its own terms and sessions. */
  readonly subscription?: string
  /** The `event_id` of the last event that was taken from `subscription`. */
  readonly lastEventId?: string
  readonly onConnection?: ConnectionListener
  /** Server-sent events over fetch, or a separate WebSocket. Default: the client's transport. */
  readonly transport?: TransportName
}

/**
 * The events of a subscription, each once, over as many connections as it takes. Leaving the loop stops
 * reading but keeps the subscription: its id and the last event's id are enough to resume it. `close` ends
 * it.
 */
export interface AaepSubscription extends Iteration<AaepFrame> {
  /** Rejects if the gateway refuses: the SluiceError has the `reason_code` in its details. */
  readonly accepted: Promise<AaepAccepted>
  /**
   * Answers a question: `accept` or `reject` for a confirmation, the response for a clarification. The first
   * valid answer counts, and `counted` says whether it was this one.
   */
  reply(
    question: AaepQuestion,
    answer: string | number | boolean,
    options?: ReplyOptions,
  ): Promise<AaepReceipt>
  /** Requests other terms; omitted ones do not change. A refusal ends the subscription. */
  renegotiate(terms: AaepTerms, options?: Abortable): Promise<AaepAccepted>
  /** Sends an AAEP message unchanged, except for the id of the subscription. */
  send(message: JsonObject, options?: Abortable): Promise<void>
  /** Ends the subscription and the iteration. */
  close(options?: Abortable & { readonly reason?: string }): Promise<void>
}

export interface AaepParts extends SseParts, Pick<StayConnectedOptions, 'createBackoff'> {
  /** If given, events are read over it. */
  readonly WebSocket?: WebSocketConstructor
}

const defaultSubscriber: AaepSubscriber = { id: 'sluice-client', name: 'Sluice client' }
/** The number of events from which a gateway lets a subscriber resume. */
const recentSize = 4096

export function subscribeAaep(
  terms: AaepTerms,
  options: SubscribeAaepOptions,
  parts: AaepParts,
): AaepSubscription {
  const { subscriber = defaultSubscriber, subscription, onConnection } = options
  const { controller, release } = followSignal(options.signal)
  const staying = { ...parts, onConnection }
  const request = options.request ?? toRequest(terms, subscriber, options)
  const handshake = subscription === undefined ? { request: JSON.stringify(request) } : { subscription }
  const accepted = shakeHands(handshake, { ...staying, signal: controller.signal })
  accepted.catch(() => {}) // the iteration throws it too
  const seen = createRecentIds(recentSize)
  const mutex = createMutex()
  let lastEventId = options.lastEventId ?? ''

  async function* follow(signal: AbortSignal): AsyncGenerator<readonly AaepFrame[], void> {
    const { subscription_id } = await orAborted(accepted, signal)
    const place = { subscription: subscription_id, lastEventId: () => lastEventId }
    const { WebSocket } = parts
    const read =
      WebSocket === undefined
        ? createSseEvents(parts)
        : createSocketEvents({ ...parts, WebSocket, mutex, request })
    try {
      yield* stayConnected((attempt) => readFresh(read(place, attempt)), { ...staying, signal })
    } finally {
      release()
    }
  }

  async function* readFresh(batches: AsyncIterable<AaepBatch>): AsyncGenerator<readonly AaepFrame[], void> {
    for await (const batch of batches) {
      const fresh = batch.events.filter(({ event_id }) => seen.note(event_id))
      if (fresh.length > 0) yield fresh
      if (batch.lastEventId !== '') lastEventId = batch.lastEventId
    }
  }

  const iteration = iterate(follow, controller.signal)

  function leave(): Promise<IteratorResult<AaepFrame, undefined>> {
    const left = iteration.return()
    controller.abort(new SluiceError('closed', { message: 'The subscription was left.' }))
    release()
    return left
  }

  const replies = createReplies({ ...parts, accepted })
  return {
    accepted,
    reply: replies.reply,
    send: (message, { signal } = {}) => replies.send(message, signal),
    async renegotiate(wanted, { signal } = {}) {
      await orAborted(accepted, signal)
      const answer = await mutex.run(() => replies.renegotiate(wanted, signal), signal)
      if (!(answer instanceof SluiceError)) return answer
      controller.abort(answer)
      throw answer
    },
    async close({ reason, signal } = {}) {
      const stood = accepted.then(
        () => true,
        () => false,
      )
      await leave()
      if (await stood) await replies.close(reason, signal)
    },
    next: iteration.next,
    return: leave,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
