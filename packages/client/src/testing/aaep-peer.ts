import type { ServerResponse } from 'node:http'
import { encodeSse, type JsonObject } from '@sluice/protocol'
import { answerJson, openSse, type Peer, type PeerHandler, type PeerRequest, startPeer } from './peer.ts'

export interface AaepPeer extends Peer {
  /** The bodies of the posts to this address, such as `replies`. */
  posted(address: 'subscriptions' | 'replies'): readonly JsonObject[]
  /** Emits an event to all readers, and keeps it for those that resume. */
  emit(event: JsonObject): void
  /** Breaks the connection of every reader. */
  drop(): void
}

export interface AaepPeerOptions {
  readonly onSubscribe?: PeerHandler
  readonly onReply?: PeerHandler
  readonly onEvents?: PeerHandler
}

export const accepted = {
  type: 'subscription.accepted',
  subscription_id: 'sub_1',
  aaep_version: '1.0.0',
  producer: { agent_id: 'peer' },
  honored_capabilities: {},
} as const

/** An AAEP event, as short as a test needs it. */
export function aaepEvent(n: number, more: JsonObject = {}): JsonObject {
  return { type: 'aaep:agent.state.changed', event_id: `evt_${n}`, session_id: 'sess_a', ...more }
}

/**
 * An AAEP producer over HTTP (docs/aaep.md): accepts, emits, resumes after `Last-Event-ID`, takes replies.
 */
export async function startAaepPeer(options: AaepPeerOptions = {}): Promise<AaepPeer> {
  const emitted: JsonObject[] = []
  const readers = new Set<ServerResponse>()
  const write = (reader: ServerResponse, event: JsonObject) =>
    reader.write(
      encodeSse({ event: 'aaep.event', id: String(event['event_id']), data: JSON.stringify(event) }),
    )

  function serve(request: PeerRequest, response: ServerResponse): void {
    openSse(response)
    readers.add(response.on('close', () => readers.delete(response)))
    const last = emitted.findIndex(({ event_id }) => event_id === request.headers['last-event-id'])
    for (const event of emitted.slice(last + 1)) write(response, event)
  }

  const peer = await startPeer((request, response) => {
    const { pathname } = request.url
    if (pathname === '/aaep/v1/events') (options.onEvents ?? serve)(request, response)
    else if (pathname === '/aaep/v1/subscriptions' && options.onSubscribe !== undefined)
      options.onSubscribe(request, response)
    else if (pathname === '/aaep/v1/replies' && options.onReply !== undefined)
      options.onReply(request, response)
    else if (pathname === '/aaep/v1/replies' && !request.body.includes('subscription.renegotiate'))
      response.writeHead(204).end()
    else answerJson(response, accepted, { status: pathname === '/aaep/v1/subscriptions' ? 201 : 200 })
  })
  return {
    ...peer,
    posted: (address) =>
      peer.requests
        .filter(({ method, url }) => method === 'POST' && url.pathname === `/aaep/v1/${address}`)
        .map(({ body }) => JSON.parse(body) as JsonObject), // what a client wrote
    emit(event) {
      emitted.push(event)
      for (const reader of readers) write(reader, event)
    },
    drop() {
      for (const reader of readers) reader.socket?.resetAndDestroy()
    },
  }
}
