import { isJsonObject, type JsonValue, omitUndefined, parseFrame, SluiceError } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Rejection } from '../../features/aaep/agreement.ts'
import { toRejected } from '../../features/aaep/negotiate-answer.ts'
import { rejectionTable, toRejection } from '../../features/aaep/negotiate-rejection.ts'
import type { OpenSubscription } from '../../features/aaep/open-subscription.ts'
import type { Subscription } from '../../features/aaep/registry-subscription.ts'
import { hideDeletion } from '../../kernel/sessions/hide-deletion.ts'
import type { Backend } from '../backend.ts'

/** The close codes of a connection (docs/aaep.md, Connections). */
export const closeCodes = {
  clean: 4000,
  terminated: 4004,
  bySubscriber: 4005,
  failed: 1011,
  restarting: 1012,
} as const

/** The longest message that a client may send. */
export const maxMessageBytes = 1024 * 1024

/** A connection that carries messages both ways. */
export interface MessageConnection {
  /** Sends messages; false when the sender must wait until `drained` is called. */
  send(texts: readonly string[]): boolean
  ping(): void
  /** Closes the connection. `subscription` is the one that it carried, if any. */
  close(code: number, reason: string, subscription: string | undefined): void
  /** Aborts the connection. */
  reset(): void
}

export interface ConversationParts {
  readonly backend: Backend
  readonly caller: Caller
  readonly wire: MessageConnection
  readonly transport: 'ws' | 'unix'
  readonly origin?: string
}

/** One client and its connection: the client sends its request, then receives events and sends replies. */
export interface Conversation {
  /** Handles messages in order; undefined for one that is not text. */
  hear(text: string | undefined): void
  /** Nothing else can be read, for this reason. */
  breakOff(reason: string): void
  drained(): void
  /** The connection is closed. `isClean`: the client closed it on purpose. */
  gone(isClean: boolean): void
  /** The gateway is stopping. */
  drain(): void
}

/** How many messages may wait to be handled, including the current one. */
const maxWaiting = 64

export function createConversation(parts: ConversationParts): Conversation {
  const { backend, caller, wire, transport, origin } = parts
  const { subscriptions } = backend
  const asker = omitUndefined({ caller, origin })
  let subscription: Subscription | undefined
  let open: OpenSubscription | undefined
  let unenrol: (() => void) | undefined
  let isOver = false
  /** The client is ending its subscription and waits for the answer. */
  let isEnding = false
  let waiting = 0
  let queue: Promise<void> = Promise.resolve()

  const send = (message: object): boolean => wire.send([JSON.stringify(message)])

  /** Stops handling and sending; false if it had already stopped. */
  const leave = (): boolean => {
    if (isOver) return false
    isOver = true
    timer.clear()
    open?.stream.close()
    unenrol?.()
    return true
  }

  const end = (code: number, reason: string): void => {
    if (leave()) wire.close(code, reason, subscription?.id)
  }

  const reject = (rejection: Rejection): void => {
    if (isOver) return
    send(toRejected(rejection))
    end(rejectionTable[rejection.code].close, rejection.code)
  }

  const begin = async (message: JsonValue): Promise<void> => {
    timer.clear()
    const subscribed = await subscriptions.subscribe(message, asker)
    if (isOver) return
    if (!subscribed.ok) {
      reject(subscribed)
      return
    }
    subscription = subscribed.subscription
    send(subscribed.accepted)
    const connection = {
      write: (events: readonly { readonly data: string }[]) => wire.send(events.map(({ data }) => data)),
      heartbeat: wire.ping,
      finish: () => {
        if (!isEnding) end(closeCodes.clean, 'nothing follows')
      },
      reset: () => {
        if (leave()) wire.reset()
      },
    }
    const opened = await subscriptions.open(subscription, caller, {
      connection,
      lastEventId: subscribed.lastEventId,
      transport,
    })
    if (isOver) {
      opened.stream.close()
      return
    }
    open = opened
    const isAllowed = (): boolean => backend.authenticator.isCurrent(caller)
    unenrol = backend.kernel.subscribers.enrol({
      transport,
      reader: opened.stream,
      isAllowed,
      reset: () => {
        if (isAllowed()) opened.stream.reset()
        else reject(toRejection('token_expired'))
      },
      drain,
    })
    opened.stream.start()
  }

  const say = async (message: JsonValue, current: Subscription): Promise<void> => {
    const { type, subscription_id: named } = isJsonObject(message) ? message : {}
    if (type === 'subscription.request') send(toRejected(secondRequest))
    else if (type === 'subscription.close') {
      if (named !== current.id) return
      isEnding = true
      await subscriptions.close(current, caller)
      end(closeCodes.bySubscriber, 'closed by the subscriber')
    } else if (type === 'subscription.renegotiate') {
      isEnding = true
      const answer =
        named === current.id
          ? await subscriptions.renegotiate(current, message, asker)
          : toRejection('forbidden')
      isEnding = false
      if ('ok' in answer) reject(answer)
      else send(answer)
    } else await subscriptions.reply(message, caller)
  }

  const take = async (text: string | undefined): Promise<void> => {
    if (isOver) return
    const parsed = text === undefined ? undefined : parseFrame(text)
    const message = parsed?.ok === true ? parsed.frame.value : null
    if (!backend.authenticator.isCurrent(caller)) reject(toRejection('token_expired'))
    else if (subscription === undefined) await begin(message)
    else await say(message, subscription)
  }

  const fail = (error: unknown): void => {
    const told = hideDeletion(caller, error)
    const code = told instanceof SluiceError ? told.code : 'internal'
    // Malformed replies are ignored, like late ones.
    if (code === 'bad_request') return
    if (code === 'internal') backend.kernel.logger.error({ err: error }, 'an AAEP connection failed')
    end(closeCodes.failed, code)
  }

  const drain = (): void => {
    if (subscription === undefined) reject(toRejection('closed'))
    else end(closeCodes.restarting, 'the gateway stops')
  }

  const timer = backend.kernel.clock.after(backend.kernel.config.limits.bodyIdleMs, () =>
    reject(toRejection('request_timeout')),
  )

  return {
    hear(text) {
      if (isOver) return
      waiting += 1
      if (waiting > maxWaiting) {
        end(closeCodes.terminated, 'too many messages at once')
        return
      }
      queue = queue
        .then(() => take(text))
        .catch(fail)
        .finally(() => {
          waiting -= 1
        })
    },
    breakOff(reason) {
      if (subscription === undefined) reject({ ok: false, code: 'unknown', message: reason })
      else end(closeCodes.terminated, reason)
    },
    drained: () => open?.stream.drained(),
    gone(isClean) {
      const isTheirs = leave()
      const isMeant = isTheirs && isClean && backend.authenticator.isCurrent(caller)
      if (isMeant && subscription !== undefined) subscriptions.close(subscription, caller).catch(() => {})
    },
    drain,
  }
}

const secondRequest: Rejection = {
  ok: false,
  code: 'unknown',
  message: 'This connection has its subscription.',
}
