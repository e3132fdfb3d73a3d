import { type Clock, createSseDecoder, type JsonObject } from '@sluice/protocol'
import { WebSocket } from 'ws'
import { parseObject } from '../parse-object.ts'
import { pause } from '../pause.ts'
import { textOf, typeOf } from '../story.ts'

/** How the test subscriber behaves; `healthySubscriber` has the correct value of every field. */
export interface SubscriberBehaviour {
  readonly staysAtHome: boolean
  readonly leavesAtTheUnknown: boolean
  /** The message to send in place of this one. */
  send(message: JsonObject): JsonObject
  readonly answersTwice: boolean
  readonly answersLate: boolean
  readonly answersByItself: boolean
  readonly staysAway: boolean
  readonly forgetsItsPlace: boolean
}

export const healthySubscriber: SubscriberBehaviour = {
  staysAtHome: false,
  leavesAtTheUnknown: false,
  send: (message) => message,
  answersTwice: false,
  answersLate: false,
  answersByItself: false,
  staysAway: false,
  forgetsItsPlace: false,
}

const request: JsonObject = {
  type: 'subscription.request',
  aaep_version: '1.0.0',
  subscriber_id: 'reader-1',
  capabilities: { supports_confirmation_reply: true, supported_conformance_levels: [1, 2] },
}

/** Sends replies the way that its transport requires. */
interface Connection {
  reply(message: JsonObject): Promise<void>
}

/** Subscribes, answers as the questions ask, and reconnects when its connection breaks. */
export async function runSubscriber(
  { url, transport }: { readonly url: string; readonly transport: 'sse' | 'ws' },
  behaviour: SubscriberBehaviour,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (behaviour.staysAtHome) return
  const seen = new Set<string>()
  let lastId: string | undefined
  let subscription = ''

  const onEvent = async (event: JsonObject, connection: Connection): Promise<'stay' | 'leave'> => {
    const id = textOf(event, 'event_id')
    const isKnown = seen.has(id)
    seen.add(id)
    lastId = id
    if (behaviour.leavesAtTheUnknown && typeOf(event).includes('mood')) return 'leave'
    if (typeOf(event).includes('awaiting') && !(isKnown && !behaviour.answersTwice))
      await answer(event, connection)
    return 'stay'
  }
  const answer = async (event: JsonObject, connection: Connection): Promise<void> => {
    const text = `${textOf(event, 'action')}${textOf(event, 'question')}`
    const isLeftAlone = text.includes('leave') && !behaviour.answersByItself
    if (isLeftAlone && !behaviour.answersLate) return
    const fields = {
      reply_token: textOf(event, 'reply_token'),
      subscription_id: subscription,
      timestamp: new Date(clock.now()).toISOString(),
    }
    const reply = text.includes('Blue')
      ? { type: 'clarification.reply', ...fields, response: 'blue' }
      : { type: 'confirmation.reply', ...fields, decision: text.includes('reject') ? 'reject' : 'accept' }
    if (isLeftAlone) void pause(clock, 1400).then(() => connection.reply(reply))
    else await connection.reply(behaviour.send(reply))
  }
  const renegotiate = (): JsonObject =>
    behaviour.send({
      type: 'subscription.renegotiate',
      subscription_id: subscription,
      capabilities: { preferred_verbosity: 'terse' },
    })

  const overSse = async (): Promise<'stay' | 'leave'> => {
    const connection: Connection = {
      reply: async (message) => void (await post(`${url}/aaep/v1/replies`, message, signal)),
    }
    if (subscription === '') {
      const accepted = await post(`${url}/aaep/v1/subscriptions`, behaviour.send(request), signal)
      subscription = textOf(parseObject(accepted), 'subscription_id')
      await connection.reply(renegotiate())
    }
    const place: Record<string, string> =
      lastId === undefined || behaviour.forgetsItsPlace ? {} : { 'last-event-id': lastId }
    const address = `${url}/aaep/v1/events?subscription_id=${subscription}`
    const own = new AbortController()
    const response = await fetch(address, { headers: place, signal: AbortSignal.any([signal, own.signal]) })
    const decoder = createSseDecoder()
    try {
      for await (const chunk of response.body ?? []) {
        for (const result of decoder.push(chunk)) {
          const event = result.ok ? parseObject(result.data) : undefined
          if (event !== undefined && (await onEvent(event, connection)) === 'leave') return 'leave'
        }
      }
    } finally {
      own.abort()
    }
    return 'stay'
  }
  const overSocket = (): Promise<'stay' | 'leave'> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/aaep/v1/ws`, 'aaep.v1')
      const connection: Connection = { reply: async (message) => socket.send(JSON.stringify(message)) }
      const end = (): void => socket.terminate()
      signal.addEventListener('abort', end, { once: true })
      socket.on('open', () => socket.send(JSON.stringify(behaviour.send(request))))
      socket.on('message', async (data) => {
        const message = parseObject(String(data)) ?? {}
        if (message['type'] === 'subscription.accepted') {
          const isFirst = subscription !== textOf(message, 'subscription_id')
          subscription = textOf(message, 'subscription_id')
          if (isFirst) await connection.reply(renegotiate())
        } else if ((await onEvent(message, connection)) === 'leave') {
          resolve('leave')
          end()
        }
      })
      socket.on('error', () => resolve('stay'))
      socket.on('close', () => resolve('stay'))
    })

  while (!signal.aborted) {
    const how = await (transport === 'sse' ? overSse() : overSocket()).catch(() => 'stay' as const)
    if (how === 'leave' || behaviour.staysAway) return
    await pause(clock, 20)
  }
}

async function post(url: string, message: JsonObject, signal: AbortSignal): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message), signal })
  return response.text()
}
