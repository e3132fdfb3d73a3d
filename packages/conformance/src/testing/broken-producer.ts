import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Clock, encodeSse, isJsonObject, type JsonObject } from '@sluice/protocol'
import { type WebSocket, WebSocketServer } from 'ws'
import { pause } from '../pause.ts'
import { objectOf, textOf, typeOf } from '../story.ts'
import { runAgent } from './agent.ts'
import type { Behaviour } from './behaviour.ts'
import { negotiate, renegotiate } from './negotiation.ts'
import { createQuestions } from './questions.ts'
import { createSigner } from './signer.ts'
import { createTestSubscription, type TestSubscription } from './test-subscription.ts'

export interface TestProducer {
  readonly url: string
  close(): Promise<void>
}

/** A small producer over HTTP and WebSocket with the given behaviour. `isReference` omits the handshake. */
export async function startProducer(
  behaviour: Behaviour,
  clock: Clock,
  { isReference = false }: { readonly isReference?: boolean | undefined } = {},
): Promise<TestProducer> {
  const subscriptions = new Map<string, TestSubscription>()
  const questions = createQuestions(behaviour, clock)
  const signer = await createSigner(behaviour)
  let sessions = 0
  let swapped: JsonObject | undefined
  let latest: JsonObject | undefined

  const publish = (event: JsonObject): void => {
    if (behaviour.isSilent) return
    latest = event
    for (const subscription of subscriptions.values()) void hand(subscription, event)
  }
  const hand = async (subscription: TestSubscription, event: JsonObject): Promise<void> => {
    const isSlow = subscription.terms['max_events_per_second'] !== undefined
    if (behaviour.swapsToolEvents && isSlow && typeOf(event) === 'aaep:agent.tool.invoked') {
      swapped = event
      return
    }
    const hasSlow = [...subscriptions.values()].some(
      ({ terms }) => terms['max_events_per_second'] !== undefined,
    )
    if (behaviour.holdsAllForTheSlow && hasSlow && typeOf(event).includes('session.completed'))
      await pause(clock, 2500)
    subscription.receive(event)
    if (isSlow && swapped !== undefined) subscription.receive(swapped)
    if (isSlow) swapped = undefined
  }
  const start = (): void => {
    sessions += 1
    // Only the question of every third session has a timeout short enough to wait out.
    const timeout = sessions % 3 === 0 ? 1 : 60
    void runAgent({ behaviour, clock, questions, timeout, publish })
  }
  const subscribe = (request: JsonObject): JsonObject | undefined => {
    const answer = negotiate(request, behaviour, signer)
    if (answer?.['type'] !== 'subscription.accepted') return answer
    const subscription = createTestSubscription(objectOf(request, 'capabilities') ?? {}, behaviour, clock)
    subscriptions.set(subscription.id, subscription)
    return { ...answer, subscription_id: subscription.id }
  }
  /** The answer to a message from a subscriber, if any. */
  const take = (message: JsonObject): JsonObject | undefined => {
    const subscription = subscriptions.get(textOf(message, 'subscription_id'))
    switch (message['type']) {
      case 'subscription.renegotiate':
        return renegotiate(message, subscription, behaviour)
      case 'subscription.close':
        if (subscription !== undefined) subscription.isClosed = true
        return undefined
      default:
        return questions.take(message) || !behaviour.tellsWhy ? undefined : { error: 'invalid_token' }
    }
  }

  const server = createServer((request, response) => void route(request, response))
  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const answer = (status: number, body?: JsonObject): void => {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body === undefined ? '' : JSON.stringify(body))
    }
    const at = `${request.method} ${url.pathname}`
    if (at === 'POST /sessions') {
      start()
      return answer(202, { status: 'started' })
    }
    if (isReference && at === 'GET /events')
      return stream(response, createTestSubscription({}, behaviour, clock))
    if (isReference && at === 'POST /messages') {
      take(await readBody(request))
      return answer(200, { status: 'received' })
    }
    if (isReference) return answer(404)
    switch (at) {
      case 'POST /aaep/v1/subscriptions': {
        const accepted = subscribe(await readBody(request))
        return answer(
          accepted === undefined ? 204 : accepted['reason_code'] === undefined ? 201 : 422,
          accepted,
        )
      }
      case 'GET /aaep/v1/events': {
        const subscription = subscriptions.get(url.searchParams.get('subscription_id') ?? '')
        return subscription === undefined
          ? answer(404)
          : stream(response, subscription, request.headers['last-event-id'])
      }
      case 'POST /aaep/v1/replies': {
        const told = take(await readBody(request))
        return answer(told === undefined ? 204 : told['error'] === undefined ? 200 : 400, told)
      }
      case 'GET /.well-known/aaep-manifest.json': {
        const manifest = behaviour.manifest(signer.manifest)
        return manifest === undefined ? answer(404) : answer(200, manifest)
      }
      case 'GET /.well-known/jwks.json':
        return answer(200, signer.jwks)
      default:
        return answer(404)
    }
  }
  const stream = (
    response: ServerResponse,
    subscription: TestSubscription,
    after?: string | string[],
  ): void => {
    subscriptions.set(subscription.id, subscription)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const out = (event: JsonObject): void => {
      const frame = isReference ? {} : { event: behaviour.frameName, id: textOf(event, 'event_id') }
      for (const data of behaviour.encode(event)) response.write(encodeSse({ ...frame, data }))
    }
    subscription.out = out
    response.on('close', () => {
      if (subscription.out === out) subscription.out = undefined
    })
    if (typeof after === 'string') subscription.resume(after, latest)
  }

  const sockets = new WebSocketServer({ server, path: '/aaep/v1/ws' })
  sockets.on('connection', (socket) => speak(socket))
  const speak = (socket: WebSocket): void => {
    const send = (message: JsonObject | undefined): void => {
      if (message !== undefined) socket.send(JSON.stringify(message))
    }
    let subscription: TestSubscription | undefined
    socket.on('message', (data) => {
      const message = parse(String(data))
      if (subscription !== undefined) return send(take(message))
      const known = objectOf(objectOf(message, 'extensions'), 'sluice')
      const taken = subscriptions.get(textOf(known, 'subscription_id'))
      const answer = taken === undefined ? subscribe(message) : negotiate(message, behaviour, signer)
      subscription = taken ?? subscriptions.get(textOf(answer, 'subscription_id'))
      send(subscription === undefined ? answer : { ...answer, subscription_id: subscription.id })
      if (subscription === undefined) return socket.close(4001)
      subscription.out = (event) => {
        for (const text of behaviour.encode(event)) socket.send(text)
      }
      if (taken !== undefined) taken.resume(textOf(known, 'last_event_id'), latest)
    })
    socket.on('close', () => {
      if (subscription !== undefined) subscription.out = undefined
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return parse(text)
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  return isJsonObject(value) ? value : {}
}
