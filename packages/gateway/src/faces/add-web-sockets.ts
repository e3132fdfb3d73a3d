import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { errorTable, omitUndefined, SluiceError } from '@sluice/protocol'
import { type WebSocket, WebSocketServer } from 'ws'
import { isOpenTo } from '../access/anonymity.ts'
import type { Caller } from '../access/caller.ts'
import { isHostAllowed, isSiteAllowed } from '../access/origin.ts'
import { toRejection } from '../features/aaep/negotiate-rejection.ts'
import { type Conversation, maxMessageBytes } from './aaep/conversation.ts'
import { rejectAaepSocket, serveAaepSocket } from './aaep/socket.ts'
import type { Backend } from './backend.ts'
import { answerPings } from './http/answer-pings.ts'
import { countHosts, originRulesOf } from './http/guards.ts'
import type { OpenSocket } from './http/open-socket.ts'
import { problemMediaType, retryAfterOf, toProblem, toSluiceError } from './http/problem.ts'
import { formatSecurityHeaders } from './http/security-headers.ts'
import { serveConnection } from './native/ws/connection.ts'

/** Room for the fields of a message besides its events. */
const envelopeBytes = 64 * 1024

export interface WebSockets {
  /**
   * Closes every connection. Code 1012 asks the client to reconnect; AAEP clients without a subscription are
   * rejected.
   */
  drain(): void
  close(): void
}

/** Serves `GET /v1/ws` and `GET /aaep/v1/ws` on a server. */
export function addWebSockets(server: Server, backend: Backend): WebSockets {
  const { limits } = backend.kernel.config
  const rules = originRulesOf(backend)
  const conversations = new WeakMap<WebSocket, Conversation>()
  const native = createSocketServer('sluice.v1', limits.bodyBytes + envelopeBytes)
  const aaep = createSocketServer('aaep.v1', maxMessageBytes)
  const servers: Readonly<Record<string, WebSocketServer>> = { '/v1/ws': native, '/aaep/v1/ws': aaep }

  const serveAaep = (open: OpenSocket, caller: Caller, host: string | undefined): void => {
    const scheme = backend.kernel.config.tls === undefined ? 'http' : 'https'
    const origin = host === undefined ? undefined : `${scheme}://${host}`
    conversations.set(open.ws, serveAaepSocket(backend, open, { caller, origin }))
  }

  const serve = (open: OpenSocket, caller: Caller | SluiceError, request: IncomingMessage): void => {
    open.socket.setNoDelay(true)
    answerPings(open)
    if (caller instanceof SluiceError) rejectAaepSocket(open.ws, toRejection(caller.code))
    else if (serverOf(request) === native) serveConnection(backend, open, caller)
    else serveAaep(open, caller, request.headers.host)
  }

  const serverOf = (request: IncomingMessage): WebSocketServer => {
    const path = pathOf(request.url)
    const found = Object.hasOwn(servers, path) ? servers[path] : undefined
    if (found === undefined) throw new SluiceError('unknown_route')
    return found
  }

  /**
   * The caller, or the error of an AAEP client with a bad credential: it is accepted only to be sent the
   * reason.
   */
  const admit = async (request: IncomingMessage): Promise<Caller | SluiceError> => {
    const { host, authorization } = request.headers
    if (countHosts(request.rawHeaders) > 1) throw new SluiceError('bad_request')
    if (
      !isHostAllowed(host, rules) ||
      !isSiteAllowed({ headers: request.headers, host, isPage: false }, rules)
    )
      throw new SluiceError('origin_refused')
    const isAaep = serverOf(request) === aaep
    if (backend.kernel.isDraining) throw new SluiceError('closed')
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    try {
      return await backend.authenticator.authenticate({
        isOpen: isOpenTo(backend.anonymity, request),
        protocols: offered,
        ...omitUndefined({ authorization }),
      })
    } catch (error) {
      const known = toSluiceError(error)
      if (isAaep && errorTable[known.code].status === 401) return known
      throw error
    }
  }

  const upgrade = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    socket.on('error', () => socket.destroy())
    let caller: Caller | SluiceError
    try {
      caller = await admit(request)
      if (backend.kernel.isDraining) throw new SluiceError('closed')
      // Its place would never be free again.
      if (socket.destroyed) return
      const subject = caller instanceof SluiceError ? 'anonymous' : caller.subject
      const counted = subject === 'anonymous' ? `ip ${socket.remoteAddress}` : `sub ${subject}`
      socket.once('close', backend.connections.enter(counted))
      socket.once('close', backend.idle.enter(socket))
    } catch (error) {
      refuse(socket, toSluiceError(error), formatSecurityHeaders(backend.kernel.config, request.headers.host))
      return
    }
    serverOf(request).handleUpgrade(request, socket, head, (ws: WebSocket) =>
      serve({ ws, socket }, caller, request),
    )
  }
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    void upgrade(request, socket, head)
  })

  return {
    drain() {
      for (const ws of native.clients) ws.close(errorTable.closed.close, 'closed')
      for (const ws of aaep.clients) conversations.get(ws)?.drain()
    },
    close() {
      for (const each of [native, aaep]) {
        for (const ws of each.clients) ws.terminate()
        each.close()
      }
    },
  }
}

function createSocketServer(protocol: string, maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    autoPong: false,
    clientTracking: true,
    maxPayload,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  })
}

function pathOf(url: string | undefined): string {
  return (url ?? '').split('?')[0] ?? ''
}

function refuse(socket: Socket, error: SluiceError, headers: string): void {
  const problem = toProblem(error)
  const body = JSON.stringify(problem)
  const retryAfter = retryAfterOf(error)
  socket.end(
    `HTTP/1.1 ${problem.status} ${error.code}\r\nContent-Type: ${problemMediaType}\r\n${headers}` +
      `${retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`}` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
