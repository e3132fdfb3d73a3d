import type { JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import type { Intent, Role, SentMessage } from '../transcript.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { post } from './http-request.ts'
import { createRecorder } from './recorder.ts'
import { closing, unknownId } from './requests.ts'
import type { ConnectOptions, ProducerTransport, Resumed, Subscription, Writable } from './subscription.ts'

/** AAEP over SSE and POST (Appendix B). */
export function createSseTransport(options: ConnectOptions): ProducerTransport {
  const subscriptions = `${options.url}/aaep/v1/subscriptions`
  const replies = `${options.url}/aaep/v1/replies`
  const close = async (accepted: JsonObject): Promise<void> => {
    await post(options, replies, closing(accepted))
  }
  return {
    hasHandshake: true,
    async probe(request) {
      const { json } = await post(options, subscriptions, request)
      if (json?.['type'] === 'subscription.accepted') await close(json)
      return json
    },
    async open(role, request) {
      const { json } = await post(options, subscriptions, request)
      if (json?.['type'] !== 'subscription.accepted') return undefined
      const subscription = createSubscription(options, role, replies)
      const id = encodeURIComponent(textOf(json, 'subscription_id'))
      const url = `${options.url}/aaep/v1/events?subscription_id=${id}`
      await subscription.connect(url, role === 'lost' ? unknownId : undefined)
      return Object.assign(subscription, {
        request,
        accepted: json,
        release: async () => {
          subscription.cut()
          await close(json)
        },
      })
    },
  }
}

/** The HTTP dialect of the reference programs: one stream for all, and no handshake. */
export function createReferenceTransport(options: ConnectOptions): ProducerTransport {
  return {
    hasHandshake: false,
    probe: async () => undefined,
    async open(role) {
      const subscription = createSubscription(options, role, `${options.url}/messages`)
      await subscription.connect(`${options.url}/events`)
      return subscription
    },
  }
}

interface StreamSubscription extends Subscription {
  connect(url: string, after?: string): Promise<void>
}

function createSubscription(options: ConnectOptions, role: Role, replies: string): StreamSubscription {
  const { clock, foreign } = options
  const recorder = createRecorder(clock, foreign)
  let stream: EventStream | undefined
  let address = ''
  const connect = async (after?: string): Promise<void> => {
    // Recorded before anything can arrive on the new connection.
    const resumed: Writable<Resumed> = {
      kind: 'resumed',
      atMs: clock.monotonic(),
      after: after ?? '',
      isTaken: false,
    }
    if (after !== undefined) recorder.push(resumed)
    stream = await openEventStream(address, options, { recorder, after })
    resumed.isTaken = stream.status === 200
  }
  const cut = (): void => stream?.abort()
  return {
    role,
    recorder,
    async connect(url, after) {
      address = url
      await connect(after)
    },
    async send(intent: Intent, message, about) {
      // Recorded before the answer arrives: the events that it causes may arrive first.
      const item: Writable<SentMessage> = { kind: 'sent', atMs: clock.monotonic(), intent, message }
      if (about !== undefined) item.about = about
      recorder.push(item)
      const { status, body, json } = await post(options, replies, message)
      item.status = status
      item.body = body
      if (intent === 'renegotiate' && json !== undefined)
        recorder.push({ kind: 'message', atMs: clock.monotonic(), message: json })
    },
    cut,
    resume: connect,
    release: async () => cut(),
  }
}
