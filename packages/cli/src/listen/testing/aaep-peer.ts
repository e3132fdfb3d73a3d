import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AaepFrame } from '@sluice/protocol/dialects'
import { createBell } from '../bell.ts'

/** A server that speaks AAEP as docs/aaep.md has it, and plays one session that a test writes. */
export interface AaepPeer {
  readonly url: string
  send(...events: readonly AaepFrame[]): void
  /** The `subscription.request` that came. */
  readonly request: Readonly<Record<string, unknown>> | undefined
  /** Resolves with the next message to /aaep/v1/replies. */
  nextReply(): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}

type Message = Readonly<Record<string, unknown>>

export async function startAaepPeer(state: 'open' | 'ended' = 'open'): Promise<AaepPeer> {
  const bell = createBell()
  const events: AaepFrame[] = []
  const replies: Message[] = []
  const readers = new Set<ServerResponse>()
  let request: Message | undefined

  const write = (reader: ServerResponse, event: AaepFrame): void => {
    reader.write(`event: aaep.event\nid: ${event.event_id}\ndata: ${JSON.stringify(event)}\n\n`)
  }

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const place = `${incoming.method} ${new URL(incoming.url ?? '', 'http://peer').pathname}`
    const json = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (place === 'GET /v1/sessions/sess_trip')
      json(200, { session: { id: 'sess_trip', state }, cursor: '0', snapshot: {} })
    else if (place === 'POST /aaep/v1/subscriptions') {
      request = await readMessage(incoming)
      const honored_capabilities = request['capabilities']
      const producer = { agent_id: 'peer' }
      const accepted = { subscription_id: 'sub_1', aaep_version: '1.0.0', producer, honored_capabilities }
      json(201, { type: 'subscription.accepted', ...accepted })
    } else if (place === 'GET /aaep/v1/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
      for (const event of events) write(response, event)
      readers.add(response)
    } else if (place === 'POST /aaep/v1/replies') {
      replies.push(await readMessage(incoming))
      response.writeHead(204).end()
      bell.ring()
    } else json(404, { code: 'unknown_session', title: 'There is no such session.' })
  }

  const server = createServer((incoming, response) => void answer(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    send(...more) {
      events.push(...more)
      for (const reader of readers) for (const event of more) write(reader, event)
    },
    get request() {
      return request
    },
    async nextReply() {
      for (;;) {
        const reply = replies.shift()
        if (reply !== undefined) return reply
        await bell.wait()
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readMessage(incoming: IncomingMessage): Promise<Message> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message // our own client wrote it
}
