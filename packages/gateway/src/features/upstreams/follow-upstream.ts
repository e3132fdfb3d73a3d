import { createHash } from 'node:crypto'
import {
  createBackoff,
  createSseDecoder,
  type Entry,
  isJsonObject,
  type JsonObject,
  parseFrame,
  pause,
  retry,
  SluiceError,
} from '@sluice/protocol'
import type { Caller, SessionTarget } from '../../access/caller.ts'
import type { GuardedStream } from '../../access/guarded-fetch.ts'
import type { UpstreamConfig } from '../../config/config.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { version } from '../../ops/version.ts'
import { createAnswerRelay } from './answer-relay.ts'
import { createOffer } from './offer.ts'
import { createEventTaker } from './take-events.ts'
import { createUpstreamRequests } from './upstream-requests.ts'
import { createUpstreamStore } from './upstream-store.ts'
import { createUpstreamSubscription } from './upstream-subscription.ts'

/** A remote producer that the gateway follows. */
export interface Upstream {
  /** Follows the producer until it is stopped, whatever the producer does. Rejects if the log fails. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Takes the entries that became durable in a session, from any writer. */
  committed(session: string, entries: readonly Entry[]): void
  readonly isConnected: boolean
}

export function followUpstream(kernel: Kernel, config: UpstreamConfig): Upstream {
  const { clock, logger, metrics, directory } = kernel
  const subject = `upstream:${config.url}`
  const name = createHash('sha256').update(config.url).digest('hex').slice(0, 32)
  const store = createUpstreamStore(kernel.log, clock, { name: `up_${name}`, url: config.url })
  const { agent, name: title } = kernel.config.aaep
  const stopping = new AbortController()
  const requests = createUpstreamRequests(config, stopping.signal)
  const subscription = createUpstreamSubscription({
    requests,
    store,
    isPlain: config.framing === 'plain',
    plainId: `sub_${name}`,
    subscriber: { id: agent, name: title, version },
  })
  const targetOf = (id: string): SessionTarget => ({ id, owner: subject, labels: config.labels ?? {} })
  const offer = createOffer({
    clock,
    answerers: kernel.questions.answerers,
    sessions: () => [...store.sessions.keys()].map(targetOf),
    anySession: targetOf('sess_0'),
    // Otherwise the producer learns of it at the next connection.
    tell: (offers) => (isConnected ? subscription.offer(offers) : Promise.resolve()),
    onFailed: (err) => logger.warn({ subject, err }, 'an upstream does not know who can answer'),
  })
  const relay = createAnswerRelay({
    store,
    clock,
    logger,
    find: (id) => directory.find(id),
    send: subscription.reply,
    onDone: metrics.upstreamReply,
  })
  const taker = createEventTaker({
    kernel,
    caller: callerOf(subject),
    labels: config.labels ?? {},
    isFollowed: (id) => store.sessions.has(id),
    async onSession(session) {
      if (store.sessions.has(session.id)) return
      await store.keep(session.id, session.lastSeq)
      offer.review()
    },
  })
  const backoff = createBackoff()
  let isConnected = false
  let following: Promise<void> = Promise.resolve()

  const open = async (): Promise<GuardedStream> => {
    await subscription.ensure(offer.isOn)
    const stream = await requests.read(subscription.eventsPath, store.place.lastEventId)
    const { status, contentType } = stream
    if (status === 200 && contentType?.startsWith('text/event-stream') === true) return stream
    stream.close()
    if (status === 404 || status === 410) await subscription.lose()
    throw new SluiceError('fetch_failed', { message: 'The producer has no events.', details: { status } })
  }

  const read = async (stream: GuardedStream): Promise<void> => {
    const decoder = createSseDecoder({ maxEventBytes: kernel.config.limits.eventBytes })
    taker.restart()
    for await (const bytes of stream.body) {
      const results = decoder.push(bytes)
      const messages = results.flatMap((result) => (result.ok ? [result] : []))
      const broken = results.length - messages.length
      if (broken > 0) {
        metrics.upstreamEvents('refused', broken)
        logger.info({ subject, count: broken }, 'events of an upstream could not be read')
      }
      if (messages.length === 0) continue
      await taker.take(messages, stopping.signal)
      backoff.reset()
      if (messages.some(({ data }) => isClose(data))) return subscription.lose()
      const lastEventId = decoder.lastEventId() || idOf(messages.at(-1)?.data)
      if (lastEventId !== undefined) await store.move({ lastEventId })
    }
  }

  const connect = async (): Promise<void> => {
    try {
      const stream = await open()
      isConnected = true
      metrics.upstreamConnected()
      logger.info({ subject }, 'an upstream is followed')
      offer.review()
      await read(stream)
    } finally {
      isConnected = false
    }
  }

  const follow = async (): Promise<never> => {
    const waiting = { clock, signal: stopping.signal }
    for (;;) {
      await retry(connect, {
        ...waiting,
        backoff,
        isPassing: () => true,
        onFailure: (error) =>
          logger.warn({ subject, err: error, ...detailsOf(error) }, 'an upstream cannot be followed'),
      })
      await pause(backoff.next(), waiting)
    }
  }

  return {
    get isConnected() {
      return isConnected
    },
    async start() {
      await store.load()
      await relay.start()
      offer.start()
      following = follow().catch(() => {}) // ends only when stopped
    },
    async stop() {
      stopping.abort()
      offer.stop()
      relay.stop()
      await following
    },
    committed(session, entries) {
      if (!store.sessions.has(session)) return
      relay.committed(session, entries)
      if (!entries.some(({ events }) => events.some(({ kind }) => kind === 'session-end'))) return
      store
        .forget(session)
        .catch((err: unknown) => logger.error({ session, err }, 'an upstream could not be stored'))
      offer.review()
    },
  }
}

function detailsOf(error: unknown): { readonly status?: unknown; readonly reason?: unknown } {
  const { status, reason } = error instanceof SluiceError ? (error.details ?? {}) : {}
  return { status, reason }
}

/** The caller that writes the events of an upstream. It has no permissions. */
function callerOf(subject: string): Caller {
  return {
    subject,
    via: 'key',
    expiresAt: undefined,
    agent: undefined,
    readsDialect: undefined,
    can: () => false,
    canCreate: () => false,
    canSome: () => false,
  }
}

/** Whether the producer ends the subscription (AAEP §5.8). */
function isClose(data: string): boolean {
  return data.includes('subscription.close') && readMessage(data)['type'] === 'subscription.close'
}

/** The id inside an event, for frames without one. */
function idOf(data: string | undefined): string | undefined {
  const id = readMessage(data ?? '')['event_id']
  return typeof id === 'string' ? id : undefined
}

function readMessage(data: string): JsonObject {
  const parsed = parseFrame(data)
  return parsed.ok && isJsonObject(parsed.frame.value) ? parsed.frame.value : {}
}
