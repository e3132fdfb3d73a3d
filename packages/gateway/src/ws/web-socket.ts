import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { errorTable, SluiceError } from '@sluice/protocol'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Conversation } from '../aaep/conversation.ts'
import { serveAaepSocket } from '../aaep/socket.ts'
import type { Caller } from '../auth/caller.ts'
import { isHostAllowed, isOriginAllowed } from '../auth/origin.ts'
import type { Gate } from '../gate.ts'
import { originRulesOf } from '../http/guards.ts'
import { problemMediaType, retryAfterOf, toProblem, toSluiceError } from '../http/problem.ts'
import { serveConnection } from './connection.ts'

/** Besides what the events themselves take, a message has a few fields. */
const envelopeBytes = 64 * 1024
/** The subprotocol of each address. */
const protocols: Readonly<Record<string, string>> = { '/v1/ws': 'sluice.v1', '/aaep/v1/ws': 'aaep.v1' }

export interface WebSockets {
  /** Closes every connection with 1012: come back soon. */
  drain(): void
  close(): void
}

/** Serves `GET /v1/ws` and `GET /aaep/v1/ws` on a server. */
export function addWebSocket(server: Server, gate: Gate): WebSockets {
  const { limits } = gate.config
  const conversations = new WeakMap<WebSocket, Conversation>()
  const wss = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: true,
    maxPayload: limits.bodyBytes + envelopeBytes,
    handleProtocols: (offered, { url }) => {
      const spoken = protocols[pathOf(url)]
      return spoken !== undefined && offered.has(spoken) ? spoken : false
    },
  })

  const serveAaep = (ws: WebSocket, socket: Socket, caller: Caller, host: string | undefined): void => {
    const scheme = gate.config.tls === undefined ? 'http' : 'https'
    const conversation = serveAaepSocket(
      gate,
      ws,
      socket,
      caller,
      host === undefined ? undefined : `${scheme}://${host}`,
    )
    conversations.set(ws, conversation)
  }

  const admit = async (request: IncomingMessage): Promise<Caller> => {
    if (!(pathOf(request.url) in protocols)) throw new SluiceError('unknown_route')
    if (gate.isDraining) throw new SluiceError('closed')
    const rules = originRulesOf(gate)
    const { host, origin, authorization, cookie } = request.headers
    if (!isHostAllowed(host, rules) || !isOriginAllowed(origin, host, rules))
      throw new SluiceError('origin_refused')
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    const caller = await gate.authenticator.authenticate({
      isLoopback: gate.isLoopback,
      protocols: offered,
      ...(authorization === undefined ? {} : { authorization }),
      ...(cookie === undefined ? {} : { cookie }),
    })
    return caller
  }

  const upgrade = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    socket.on('error', () => socket.destroy())
    let caller: Caller
    try {
      caller = await admit(request)
      const isAnonymous = caller.via === 'anonymous'
      const leave = gate.connections.enter(
        isAnonymous ? `ip ${socket.remoteAddress}` : `sub ${caller.subject}`,
      )
      socket.once('close', leave)
    } catch (error) {
      refuse(socket, toSluiceError(error))
      return
    }
    if (socket.destroyed) return
    wss.handleUpgrade(request, socket, head, (ws: WebSocket) => {
      socket.setNoDelay(true)
      if (pathOf(request.url) === '/v1/ws') serveConnection(gate, ws, socket, caller)
      else serveAaep(ws, socket, caller, request.headers.host)
    })
  }
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void upgrade(request, socket, head)
  })

  return {
    drain() {
      for (const ws of wss.clients) {
        const conversation = conversations.get(ws)
        if (conversation === undefined) ws.close(errorTable.closed.close, 'closed')
        else conversation.drain()
      }
    },
    close() {
      for (const ws of wss.clients) ws.terminate()
      wss.close()
    },
  }
}

function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? ''
}

function refuse(socket: Socket, error: SluiceError): void {
  const problem = toProblem(error)
  const body = JSON.stringify(problem)
  const retryAfter = retryAfterOf(error)
  socket.end(
    `HTTP/1.1 ${problem.status} ${error.code}\r\nContent-Type: ${problemMediaType}\r\n` +
      `${retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
