import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Clock, encodeSse, type JsonObject, SluiceError } from '@sluice/protocol'
import { WebSocketServer } from 'ws'
import { parseObject } from '../parse-object.ts'
import { objectOf, textOf } from '../story.ts'
import { createEventFeed, type EventFeed, type SubscriberConnection } from './event-feed.ts'
import type { SubscriberRecord } from './subscriber-record.ts'

export interface ScriptedProducer {
  readonly url: string
  readonly feed: EventFeed
  close(): Promise<void>
}

/** The size limit of a message from the subscriber. */
const maxBodyBytes = 1024 * 1024

export interface ScriptedProducerParts {
  readonly port: number
  readonly record: SubscriberRecord
  readonly clock: Clock
  /** Called after each connection change and reply. */
  onChange(): void
}

/** Serves one subscriber and records its actions. */
export async function startScriptedProducer(parts: ScriptedProducerParts): Promise<ScriptedProducer> {
  const { port, record, clock, onChange } = parts
  const feed = createEventFeed(record, clock, onChange)

  const accept = (request: JsonObject | undefined): JsonObject => {
    record.requests.push(request)
    if (request?.['type'] !== 'subscription.request')
      return { type: 'subscription.rejected', reason_code: 'unknown', reason_message: 'This is no request.' }
    const id = `sub_${randomBytes(13).toString('hex')}`
    record.subscriptionIds.push(id)
    return accepted(id, objectOf(request, 'capabilities') ?? {})
  }
  /** Records a message other than a request and returns the answer to it, if any. */
  const take = (message: JsonObject | undefined): JsonObject | undefined => {
    const type = textOf(message, 'type')
    if (message !== undefined && type === 'subscription.renegotiate') {
      record.renegotiations.push(message)
      return accepted(textOf(message, 'subscription_id'), objectOf(message, 'capabilities') ?? {})
    }
    if (type !== 'subscription.close')
      record.replies.push({ atMs: clock.monotonic(), ...(message && { message }) })
    onChange()
    return undefined
  }

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const answer = (status: number, body?: JsonObject): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? undefined : JSON.stringify(body))
    }
    const after = request.headers['last-event-id']
    switch (`${request.method} ${pathname}`) {
      case 'POST /aaep/v1/subscriptions': {
        const made = accept(await readBody(request))
        return answer(made['reason_code'] === undefined ? 201 : 400, made)
      }
      case 'GET /aaep/v1/events':
        return openStream(response, 'aaep.event', typeof after === 'string' ? after : undefined)
      case 'GET /events':
        return openStream(response, undefined, typeof after === 'string' ? after : undefined)
      case 'POST /aaep/v1/replies': {
        const told = take(await readBody(request))
        return answer(told === undefined ? 204 : 200, told)
      }
      case 'POST /messages':
        take(await readBody(request))
        return answer(200, { status: 'received' })
      default:
        return answer(404)
    }
  }
  const openStream = (
    response: ServerResponse,
    name: string | undefined,
    after: string | undefined,
  ): void => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      .flushHeaders()
    const connection: SubscriberConnection = {
      transport: 'sse',
      send(event) {
        const frame = name === undefined ? {} : { event: name, id: textOf(event, 'event_id') }
        response.write(encodeSse({ ...frame, data: JSON.stringify(event) }))
      },
      cut: () => response.destroy(),
    }
    response.on('close', () => feed.detach(connection))
    feed.attach(connection, after)
  }

  const server = createServer((request, response) => {
    route(request, response).catch(() => response.destroy())
  })
  const sockets = new WebSocketServer({ server, path: '/aaep/v1/ws', maxPayload: maxBodyBytes })
  sockets.on('connection', (socket) => {
    let isAccepted = false
    const connection: SubscriberConnection = {
      transport: 'ws',
      send: (event) => socket.send(JSON.stringify(event)),
      cut: () => socket.terminate(),
    }
    socket.on('error', () => {})
    socket.on('close', () => feed.detach(connection))
    socket.on('message', (data) => {
      const message = parseObject(String(data))
      const told = isAccepted ? take(message) : accept(message)
      if (told !== undefined) socket.send(JSON.stringify(told))
      if (isAccepted) return
      isAccepted = told?.['type'] === 'subscription.accepted'
      if (isAccepted) feed.attach(connection)
      else socket.close(4001)
    })
  })

  const listening = once(server, 'listening')
  const failing = once(server, 'error').then(([cause]) => {
    throw new SluiceError('address_in_use', { message: `Port ${port} cannot be listened on.`, cause })
  })
  server.listen(port, '127.0.0.1')
  await Promise.race([listening, failing])
  failing.catch(() => {})
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`,
    feed,
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

const producer = { agent_id: 'sluice-conformance' }

function accepted(id: string, capabilities: JsonObject): JsonObject {
  return {
    type: 'subscription.accepted',
    subscription_id: id,
    aaep_version: '1.0.0',
    producer,
    honored_capabilities: capabilities,
  }
}

async function readBody(request: IncomingMessage): Promise<JsonObject | undefined> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > maxBodyBytes) return undefined
  }
  return parseObject(text)
}
