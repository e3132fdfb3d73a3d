import { type WebSocket, WebSocketServer } from 'ws'
import { type Peer, type PeerHandler, startPeer } from './peer.ts'

/** A client's message, unchanged. */
export type ClientMessage = Readonly<Record<string, string>>

export interface SocketPeer extends Peer {
  /** The messages of all connections so far. */
  readonly messages: readonly ClientMessage[]
  /** How many connections there were. */
  connections(): number
  /** Resolves when the last connection is closed. */
  emptied(): Promise<void>
}

export type OnClientMessage = (message: ClientMessage, socket: WebSocket) => void

/** A peer that also speaks WebSocket and answers each message as `onMessage` says. */
export async function startSocketPeer(
  onMessage: OnClientMessage,
  handle: PeerHandler = (_, response) => response.writeHead(404).end(),
  isRefused: () => boolean = () => false,
): Promise<SocketPeer> {
  const messages: ClientMessage[] = []
  let connections = 0
  let waiters: (() => void)[] = []
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => 'sluice.v1' })
  const peer = await startPeer(handle, (request, socket, head) => {
    if (isRefused()) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
      return
    }
    server.handleUpgrade(request, socket, head, (accepted) => {
      connections += 1
      accepted.on('message', (data) => {
        const message: ClientMessage = JSON.parse(String(data))
        messages.push(message)
        onMessage(message, accepted)
      })
      accepted.on('close', () => {
        if (server.clients.size > 0) return
        for (const resolve of waiters) resolve()
        waiters = []
      })
    })
  })
  return {
    ...peer,
    messages,
    connections: () => connections,
    emptied: () =>
      server.clients.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve)),
    async close() {
      for (const client of server.clients) client.terminate()
      await peer.close()
    },
  }
}
