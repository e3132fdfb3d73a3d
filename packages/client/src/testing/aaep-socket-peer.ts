import { isJsonObject, type JsonObject } from '@sluice/protocol'
import { type WebSocket, WebSocketServer } from 'ws'
import { accepted } from './aaep-peer.ts'
import { answerJson, type Peer, type PeerHandler, startPeer } from './peer.ts'

export interface AaepSocketPeer extends Peer {
  /** The first message of each connection, in order. */
  readonly taken: readonly JsonObject[]
  /** The later messages. */
  readonly said: readonly JsonObject[]
  /** The subprotocols that each connection offered. */
  readonly offered: readonly string[]
  /** Resolves once `count` connections have sent their first message. */
  connected(count: number): Promise<void>
  /** Emits an event to all readers, and keeps it for those that resume. */
  emit(event: JsonObject): void
  /** Ends every connection, with a code or without one. */
  drop(code?: number): void
  /** Resolves when the last connection is closed. */
  emptied(): Promise<void>
}

export interface AaepSocketPeerOptions {
  /** Answers the first message of a connection instead of the peer. */
  readonly onRequest?: (request: JsonObject, socket: WebSocket) => void
  /** Whether a second request is answered. */
  readonly answersProbes?: () => boolean
  readonly onSubscription?: PeerHandler
  readonly onReply?: PeerHandler
}

/**
 * A gateway that speaks AAEP over a WebSocket (docs/aaep.md, "Connections"), with the handshake over HTTP.
 */
export async function startAaepSocketPeer(options: AaepSocketPeerOptions = {}): Promise<AaepSocketPeer> {
  const emitted: JsonObject[] = []
  const taken: JsonObject[] = []
  const said: JsonObject[] = []
  const offered: string[] = []
  const readers = new Set<WebSocket>()
  let waiters: (() => void)[] = []
  const wake = (): void => {
    for (const resolve of waiters) resolve()
    waiters = []
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise<void>((resolve) => waiters.push(resolve))
  }
  const write = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message))

  function accept(request: JsonObject, socket: WebSocket): void {
    const { extensions } = request
    const choice = isJsonObject(extensions) ? extensions['sluice'] : undefined
    const last = isJsonObject(choice) ? choice['last_event_id'] : undefined
    write(socket, accepted)
    for (const event of emitted.slice(emitted.findIndex(({ event_id }) => event_id === last) + 1))
      write(socket, event)
    readers.add(socket)
  }

  function hear(message: JsonObject, socket: WebSocket, { isFirst }: { readonly isFirst: boolean }): void {
    if (isFirst) {
      taken.push(message)
      ;(options.onRequest ?? accept)(message, socket)
    } else {
      said.push(message)
      if (message['type'] === 'subscription.request' && options.answersProbes?.() !== false)
        write(socket, {
          type: 'subscription.rejected',
          reason_code: 'unknown',
          reason_message: 'It has one.',
        })
    }
    wake()
  }

  const server = new WebSocketServer({ noServer: true, handleProtocols: () => 'aaep.v1' })
  const handle: PeerHandler = (request, response) => {
    const { pathname } = request.url
    if (pathname === '/aaep/v1/replies' && options.onReply !== undefined) options.onReply(request, response)
    else if (pathname === '/aaep/v1/replies') response.writeHead(204).end()
    else if (request.method === 'GET' && options.onSubscription !== undefined)
      options.onSubscription(request, response)
    else answerJson(response, accepted, { status: request.method === 'POST' ? 201 : 200 })
  }
  const peer = await startPeer(handle, (request, stream, head) => {
    offered.push(request.headers['sec-websocket-protocol'] ?? '')
    server.handleUpgrade(request, stream, head, (socket) => {
      let isFirst = true
      socket.on('message', (data) => {
        hear(JSON.parse(String(data)) as JsonObject, socket, { isFirst }) // what a client wrote
        isFirst = false
      })
      socket.on('close', () => {
        readers.delete(socket)
        wake()
      })
    })
  })
  return {
    ...peer,
    taken,
    said,
    offered,
    connected: (count) => until(() => taken.length >= count),
    emit(event) {
      emitted.push(event)
      for (const reader of readers) write(reader, event)
    },
    drop(code) {
      for (const reader of readers) {
        readers.delete(reader)
        if (code === undefined) reader.terminate()
        else reader.close(code)
      }
    },
    emptied: () => until(() => server.clients.size === 0),
    async close() {
      for (const client of server.clients) client.terminate()
      await peer.close()
    },
  }
}
