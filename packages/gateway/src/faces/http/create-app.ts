import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { type ErrorCode, errorTable, SluiceError } from '@sluice/protocol'
import { type FastifyInstance, fastify } from 'fastify'
import type { GatewayConfig } from '../../config/config.ts'
import type { Backend } from '../backend.ts'
import { hostOf } from './guards.ts'
import { problemMediaType, toProblem, toSluiceError } from './problem.ts'
import { formatSecurityHeaders, securityHeadersOf } from './security-headers.ts'

/** Longer than proxies usually keep a connection, so that the proxy closes it first. */
const idleConnectionMs = 65_000

/** Creates request ids that are unique across processes: a random prefix and a counter. */
function createRequestIds(): () => string {
  const prefix = `req_${randomBytes(9).toString('base64url')}`
  let count = 0
  return () => {
    count += 1
    return `${prefix}${count.toString(36)}`
  }
}

/** What the requests of HTTP/1.1 and HTTP/2 share. */
interface AnyRequest {
  readonly headers: IncomingHttpHeaders
}

/** What the responses of HTTP/1.1 and HTTP/2 share. */
interface RawResponse {
  writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown }
}

/**
 * Limits for heads and connections as options of node:http; node:http2 takes them only as fields of the
 * server.
 */
function settingsOf({ headBytes, headTimeoutMs }: GatewayConfig['limits']) {
  return {
    maxHeaderSize: headBytes,
    headersTimeout: headTimeoutMs,
    // Bodies are limited by how long they may stall; a live upload lasts as long as its session.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.max(50, Math.min(1000, headTimeoutMs / 4)),
    keepAliveTimeout: idleConnectionMs,
    // The guards refuse requests without a Host header, with all headers in the answer.
    requireHostHeader: false,
  }
}

/** A server without routes: HTTP/1.1, and with a certificate also HTTP/2. */
export function createApp({ kernel: { config } }: Backend): FastifyInstance {
  const { limits, tls } = config
  const reading = new WeakMap<Socket, OpenRequest>()
  const options = {
    logger: false,
    exposeHeadRoutes: false,
    // The guards answer.
    return503OnClosing: false,
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: 2048 },
    genReqId: createRequestIds(),
    clientErrorHandler: (error: Error & { readonly code?: string }, socket: Socket) =>
      answerClientError(error, { socket, config, open: reading.get(socket) }),
    frameworkErrors: (error: Error, request: AnyRequest, { raw }: { readonly raw: RawResponse }) => {
      const problem = toProblem(toSluiceError(error))
      const headers = { ...securityHeadersOf(config, hostOf(request)), 'content-type': problemMediaType }
      raw.writeHead(problem.status, headers).end(JSON.stringify(problem))
    },
  }
  const watch = (app: FastifyInstance): FastifyInstance => {
    app.server.on('request', (request, response) => {
      if (request.httpVersionMajor < 2) reading.set(request.socket, { request, response })
    })
    return answerExpectations(app)
  }
  if (tls === undefined) return watch(fastify({ ...options, http: settingsOf(limits) }))
  const secure = fastify({
    ...options,
    http2: true,
    https: {
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      cert: readFileSync(tls.cert),
      key: readFileSync(tls.key),
      handshakeTimeout: limits.headTimeoutMs,
      settings: { maxHeaderListSize: limits.headBytes, maxConcurrentStreams: limits.connectionsPerSubject },
    },
  })
  // For HTTP/1.1 over TLS: Node's defaults would cut an upload off after five minutes.
  Object.assign(secure.server, settingsOf(limits))
  // Ends a session once its streams are done. Streams send heartbeats, and bodies may not stall for this long.
  secure.server.on('session', (session: ServerHttp2Session) =>
    session.setTimeout(Math.max(idleConnectionMs, limits.bodyIdleMs * 2), () => session.close()),
  )
  return watch(secure as unknown as FastifyInstance) // the routes are the same over HTTP/2
}

/** Ignores unknown expectations (RFC 9110 §10.1.1) instead of letting Node refuse the request. */
function answerExpectations(app: FastifyInstance): FastifyInstance {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app
}

const clientErrors: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

interface OpenRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Unreadable {
  readonly socket: Socket
  readonly config: GatewayConfig
  /** The last request of the connection. */
  readonly open: OpenRequest | undefined
}

/**
 * Answers a request that Node cannot read, if the client still listens, and closes the connection. If its head
 * was read, the route answers: it knows what was stored.
 */
function answerClientError(
  error: Error & { readonly code?: string },
  { socket, config, open }: Unreadable,
): void {
  // Without a handshake nothing can be sent, and the socket would wait for it forever.
  if (!socket.writable || /^ERR_(TLS|SSL)_/.test(error.code ?? '')) {
    socket.destroy()
    return
  }
  if (open !== undefined && !open.request.complete && !open.response.writableFinished) {
    const cause = error.code === 'HPE_INVALID_EOF_STATE' ? 'body_incomplete' : 'bad_request'
    // Without a listener, the route finds the end of the connection when it reads.
    if (open.request.listenerCount('error') > 0) open.request.emit('error', new SluiceError(cause))
    return
  }
  const code = clientErrors[error.code ?? ''] ?? 'bad_request'
  const problem = toProblem(new SluiceError(code))
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${errorTable[code].status} ${statusText(code)}\r\nContent-Type: ${problemMediaType}\r\n` +
      // The requested host is not known.
      formatSecurityHeaders(config, undefined) +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

function statusText(code: ErrorCode): string {
  return code.replaceAll('_', ' ')
}
