import { isJsonObject, type JsonValue, parseFrame, SluiceError } from '@sluice/protocol'
import type { Caller } from '../auth/caller.ts'
import type { Gate } from '../gate.ts'
import type { Rejection } from './negotiate.ts'
import { toRejected } from './negotiate-answer.ts'
import { rejectionTable, toRejection } from './negotiate-rejection.ts'
import type { OpenSubscription } from './open-subscription.ts'
import type { Subscription } from './registry-subscription.ts'

/** How a connection ends (AAEP, WebSocket binding). */
export const closeCodes = {
  clean: 4000,
  terminated: 4004,
  bySubscriber: 4005,
} as const

/** A connection on which messages go both ways. */
export interface Wire {
  /** Sends messages; false when no more may be sent until `drained` is called. */
  send(texts: readonly string[]): boolean
  ping(): void
  close(code: number, reason: string): void
  /** Breaks it off. */
  reset(): void
}

export interface ConversationParts {
  readonly gate: Gate
  readonly caller: Caller
  readonly wire: Wire
  readonly origin?: string
}

/** One client on a connection of its own: first its request, then events one way and replies the other. */
export interface Conversation {
  /** Hears a message; one behind the other. */
  hear(text: string): void
  drained(): void
  /** The connection is gone. `isClean`: the client said so. */
  gone(isClean: boolean): void
  /** The gateway stops. */
  drain(): void
}

/** So many messages may wait while one is heard. */
const maxWaiting = 64

export function createConversation({ gate, caller, wire, origin }: ConversationParts): Conversation {
  const { desk } = gate
  const asker = { caller, ...(origin === undefined ? {} : { origin }) }
  let subscription: Subscription | undefined
  let open: OpenSubscription | undefined
  let unenrol: (() => void) | undefined
  let isOver = false
  let waiting = 0
  let queue: Promise<void> = Promise.resolve()

  const send = (message: object): boolean => wire.send([JSON.stringify(message)])

  const end = (code: number, reason: string): void => {
    if (isOver) return
    isOver = true
    open?.stream.close()
    unenrol?.()
    wire.close(code, reason)
  }

  const reject = (rejection: Rejection): void => {
    send(toRejected(rejection))
    end(rejectionTable[rejection.code].close, rejection.code)
  }

  const begin = async (message: JsonValue): Promise<void> => {
    const subscribed = await desk.subscribe(message, asker)
    if (isOver) return
    if (!subscribed.ok) {
      reject(subscribed)
      return
    }
    subscription = subscribed.subscription
    send(subscribed.accepted)
    const sink = {
      write: (events: readonly { readonly data: string }[]) => wire.send(events.map(({ data }) => data)),
      heartbeat: wire.ping,
      finish: () => end(closeCodes.clean, 'nothing follows'),
      reset: () => {
        isOver = true
        unenrol?.()
        wire.reset()
      },
    }
    open = await desk.open(subscription, caller, sink, subscribed.lastEventId, 'ws')
    if (isOver) {
      open.stream.close()
      return
    }
    unenrol = gate.roster.enrol({
      transport: 'ws',
      subscriber: open.stream,
      isAllowed: () => gate.authenticator.isCurrent(caller),
      reset: open.stream.reset,
      drain: open.stream.reset,
    })
    open.stream.start()
  }

  const say = async (message: JsonValue, current: Subscription): Promise<void> => {
    const type = isJsonObject(message) ? message['type'] : undefined
    const named = isJsonObject(message) ? message['subscription_id'] : undefined
    if (type === 'subscription.close') {
      if (named === current.id) {
        await desk.close(current)
        end(closeCodes.bySubscriber, 'closed by the subscriber')
      }
    } else if (type === 'subscription.renegotiate') {
      const answer =
        named === current.id ? await desk.renegotiate(current, message, asker) : toRejection('forbidden')
      if ('ok' in answer) reject(answer)
      else send(answer)
    } else await desk.reply(message, caller)
  }

  const take = async (text: string): Promise<void> => {
    if (isOver) return
    const parsed = parseFrame(text)
    const message = parsed.ok ? parsed.frame.value : null
    if (subscription === undefined) await begin(message)
    else await say(message, subscription)
  }

  return {
    hear(text) {
      waiting += 1
      if (waiting > maxWaiting) {
        end(closeCodes.terminated, 'too many messages at once')
        return
      }
      queue = queue
        .then(() => take(text))
        .catch((error: unknown) => {
          // A reply that is malformed is ignored, as one that is late; what cannot be kept is told by the end.
          const isBad = error instanceof SluiceError && error.code === 'bad_request'
          if (!isBad) end(closeCodes.terminated, error instanceof SluiceError ? error.code : 'internal')
        })
        .finally(() => {
          waiting -= 1
        })
    },
    drained: () => open?.stream.drained(),
    gone(isClean) {
      isOver = true
      open?.stream.close()
      unenrol?.()
      if (isClean && subscription !== undefined) desk.close(subscription).catch(() => {})
    },
    drain() {
      if (subscription === undefined) reject(toRejection('closed'))
      else end(closeCodes.terminated, 'the gateway stops')
    },
  }
}
