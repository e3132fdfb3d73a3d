import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeSse, isJsonObject, type JsonObject } from '@sluice/protocol'
import { until } from './until.ts'

/** One request that a producer received. */
export interface GotRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: JsonObject
}

export interface ScriptOptions {
  /** Serves only `/events` and `/messages`, as the reference programs do. */
  readonly isPlain?: boolean
  /** Overrides the answer that AAEP requires; undefined keeps it. */
  answer?(request: GotRequest): ScriptedAnswer | undefined
}

export interface ScriptedAnswer {
  readonly status: number
  readonly body?: JsonObject
}

/**
 * An AAEP producer that the test controls in full: it repeats all its events to every client that connects.
 */
export interface ScriptedProducer {
  readonly url: string
  readonly requests: readonly GotRequest[]
  /** The messages of a type that were posted. */
  posted(type: string): readonly JsonObject[]
  /** Sends events to all current and later readers. */
  emit(...events: readonly string[]): void
  /** Cuts every stream. */
  cut(): void
  readonly readers: number
  /** Waits for a reader. */
  read(): Promise<void>
  close(): Promise<void>
}

const acceptance = {
  type: 'subscription.accepted',
  aaep_version: '1.0.0',
  producer: { agent_id: 'scripted' },
  honored_capabilities: {},
}

export async function startScriptedProducer(options: ScriptOptions = {}): Promise<ScriptedProducer> {
  const requests: GotRequest[] = []
  const streams = new Set<ServerResponse>()
  const events: string[] = []
  let subscriptions = 0

  const toFrame = (data: string): string =>
    options.isPlain === true
      ? encodeSse({ data })
      : encodeSse({ event: 'aaep.event', id: String(JSON.parse(data).event_id), data })

  const stream = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    streams.add(response)
    response.on('close', () => streams.delete(response))
    for (const data of events) response.write(toFrame(data))
  }

  /** The answer to a request; undefined if it is a stream. */
  const answerTo = (request: GotRequest): ScriptedAnswer | undefined => {
    const { method, path, body } = request
    const told = options.answer?.(request)
    if (told !== undefined) return told
    const route = `${method} ${path.replace(/\?.*/, '')}`
    const isPlain = options.isPlain === true
    if (route === (isPlain ? 'GET /events' : 'GET /aaep/v1/events')) return undefined
    if (isPlain)
      return route === 'POST /messages' ? { status: 200, body: { status: 'received' } } : { status: 404 }
    if (route === 'POST /aaep/v1/subscriptions') {
      subscriptions += 1
      return { status: 201, body: { ...acceptance, subscription_id: `sub_${subscriptions}` } }
    }
    if (route !== 'POST /aaep/v1/replies') return { status: 404 }
    if (body['type'] !== 'subscription.renegotiate') return { status: 204 }
    return { status: 200, body: { ...acceptance, subscription_id: `sub_${subscriptions}` } }
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const body = text === '' ? {} : JSON.parse(text)
      const { method = '', url: path = '', headers } = incoming
      const request = { method, path, headers, body: isJsonObject(body) ? body : {} }
      requests.push(request)
      const answer = answerTo(request)
      if (answer === undefined) stream(response)
      else
        response
          .writeHead(answer.status, { 'content-type': 'application/json' })
          .end(answer.body === undefined ? undefined : JSON.stringify(answer.body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a server on TCP has one
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    posted: (type) => requests.flatMap(({ body }) => (body['type'] === type ? [body] : [])),
    emit(...more) {
      events.push(...more)
      for (const response of streams) response.write(more.map(toFrame).join(''))
    },
    cut() {
      for (const response of streams) response.destroy()
    },
    get readers() {
      return streams.size
    },
    read: () => until(() => streams.size > 0),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
