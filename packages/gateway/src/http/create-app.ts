import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { type ErrorCode, errorTable, SluiceError } from '@sluice/protocol'
import { type FastifyInstance, fastify } from 'fastify'
import type { GatewayConfig } from '../config/config.ts'
import type { Gate } from '../gate.ts'
import { problemMediaType, toProblem, toSluiceError } from './problem.ts'

/** Longer than proxies usually keep a connection, so that they are the ones who close it. */
const idleConnectionMs = 65_000

/** Ids that no other process gives: random once, counted from there. */
function createRequestIds(): () => string {
  const prefix = `req_${randomBytes(9).toString('base64url')}`
  let count = 0
  return () => {
    count += 1
    return `${prefix}${count.toString(36)}`
  }
}

/** What the responses of HTTP/1.1 and HTTP/2 share. */
interface RawResponse {
  writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown }
}

/** The bounds on a head and on connections, as node:http has them; that of node:http2 takes them as fields only. */
function boundsOf({ headBytes, headTimeoutMs }: GatewayConfig['limits']) {
  return {
    maxHeaderSize: headBytes,
    headersTimeout: headTimeoutMs,
    // The bound on a body is how long it may stand still; a live upload lasts as long as its session.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.max(50, Math.min(1000, headTimeoutMs / 4)),
    keepAliveTimeout: idleConnectionMs,
  }
}

/** A server without routes: HTTP/1.1, and with a certificate HTTP/2 beside it. */
export function createApp({ config: { limits, tls } }: Gate): FastifyInstance {
  const options = {
    logger: false,
    exposeHeadRoutes: false,
    bodyLimit: limits.bodyBytes,
    routerOptions: { maxParamLength: 2048 },
    genReqId: createRequestIds(),
    clientErrorHandler: (error: Error & { readonly code?: string }, socket: Socket) =>
      answerClientError(error, socket),
    frameworkErrors: (error: Error, _request: unknown, { raw }: { readonly raw: RawResponse }) => {
      const problem = toProblem(toSluiceError(error))
      raw.writeHead(problem.status, { 'content-type': problemMediaType }).end(JSON.stringify(problem))
    },
  }
  if (tls === undefined)
    return fastify({
      ...options,
      http: boundsOf(limits),
    })
  const secure = fastify({
    ...options,
    http2: true,
    https: {
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      cert: readFileSync(tls.cert),
      key: readFileSync(tls.key),
      settings: { maxHeaderListSize: limits.headBytes },
    },
  })
  // For HTTP/1.1 over TLS: with its own defaults an upload would be cut after five minutes.
  Object.assign(secure.server, boundsOf(limits))
  return secure as unknown as FastifyInstance // the routes are the same over HTTP/2
}

const clientErrors: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** What is not HTTP at all gets an answer, if anyone still listens, and the connection ends. */
function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const code = clientErrors[error.code ?? ''] ?? 'bad_request'
  const problem = toProblem(new SluiceError(code))
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${errorTable[code].status} ${statusText(code)}\r\nContent-Type: ${problemMediaType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

function statusText(code: ErrorCode): string {
  return code.replaceAll('_', ' ')
}
