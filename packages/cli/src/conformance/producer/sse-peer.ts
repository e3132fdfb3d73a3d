import { isJsonObject, type JsonObject } from '@sluice/protocol'
import { textOf } from '../story.ts'
import type { Intent, Role, SentMessage } from '../transcript.ts'
import { authorize, type EventStream, openEventStream } from './event-stream.ts'
import type { Link, PeerOptions, ProducerPeer, Resumed, Writable } from './link.ts'
import { createRecorder } from './recorder.ts'

/** AAEP over SSE and POST (Appendix B). */
export function createSsePeer(options: PeerOptions): ProducerPeer {
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
      const link = createLink(options, role, replies)
      const id = encodeURIComponent(textOf(json, 'subscription_id'))
      const url = `${options.url}/aaep/v1/events?subscription_id=${id}`
      await link.connect(url, role === 'lost' ? unknownId : undefined)
      return Object.assign(link, {
        request,
        accepted: json,
        release: async () => {
          link.cut()
          await close(json)
        },
      })
    },
  }
}

/** The HTTP dialect of the reference programs: one stream for all, and no handshake. */
export function createReferencePeer(options: PeerOptions): ProducerPeer {
  return {
    hasHandshake: false,
    probe: async () => undefined,
    async open(role) {
      const link = createLink(options, role, `${options.url}/messages`)
      await link.connect(`${options.url}/events`)
      return link
    },
  }
}

/** An id of the right form that no producer has given. */
export const unknownId = 'evt_c0nf0rmancec0nf0rmancec0nf0rmance'

export function closing(accepted: JsonObject): JsonObject {
  return {
    type: 'subscription.close',
    subscription_id: textOf(accepted, 'subscription_id'),
    reason_code: 'subscriber_shutdown',
    reason_message: 'The check is done.',
  }
}

interface StreamLink extends Link {
  connect(url: string, after?: string): Promise<void>
}

function createLink(options: PeerOptions, role: Role, replies: string): StreamLink {
  const { clock, foreign } = options
  const recorder = createRecorder(clock, foreign)
  let stream: EventStream | undefined
  let address = ''
  const connect = async (after?: string): Promise<void> => {
    // Recorded before anything can arrive on the new connection.
    const resumed: Writable<Resumed> = {
      kind: 'resumed',
      atMs: clock.now(),
      after: after ?? '',
      isTaken: false,
    }
    if (after !== undefined) recorder.push(resumed)
    stream = await openEventStream(address, options, recorder, after)
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
      // Recorded before it is answered: what it causes may arrive before the answer does.
      const item: Writable<SentMessage> = { kind: 'sent', atMs: clock.now(), intent, message }
      if (about !== undefined) item.about = about
      recorder.push(item)
      const { status, body, json } = await post(options, replies, message)
      item.status = status
      item.body = body
      if (intent === 'renegotiate' && json !== undefined)
        recorder.push({ kind: 'message', atMs: clock.now(), message: json })
    },
    cut,
    resume: connect,
    release: async () => cut(),
  }
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly json?: JsonObject
}

/** Posts JSON. Status 0 when nobody answers in time. */
export async function post(options: PeerOptions, url: string, message: JsonObject): Promise<Answer> {
  const controller = new AbortController()
  const timer = options.clock.after(options.answerMs, () => controller.abort())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorize(options) },
      body: JSON.stringify(message),
      signal: controller.signal,
    })
    const body = await response.text()
    const json = parseObject(body)
    return { status: response.status, body, ...(json && { json }) }
  } catch {
    return { status: 0, body: '' }
  } finally {
    timer.clear()
  }
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
