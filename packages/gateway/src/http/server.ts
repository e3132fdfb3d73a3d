import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { type ErrorCode, errorTable, SluiceError } from '@sluice/protocol'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { isHostAllowed, isOriginAllowed, type OriginRules } from '../auth/origin.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { Gate } from '../gate.ts'
import { createRateLimiter } from '../ops/rate-limiter.ts'
import { readBytes } from './body.ts'
import { addCors } from './cors.ts'
import { countRequest } from './count-request.ts'
import { addGzip } from './gzip.ts'
import { problemMediaType, retryAfterOf, toProblem, toSluiceError } from './problem.ts'
import { authenticate } from './request-caller.ts'
import { addAccessRoutes } from './routes/access.ts'
import { addInputRoutes } from './routes/inputs.ts'
import { addOperationRoutes } from './routes/operations.ts'
import { addPublishRoutes } from './routes/publish.ts'
import { addReadRoutes } from './routes/read.ts'
import { addRootRoute } from './routes/root.ts'
import { addSessionRoutes } from './routes/sessions.ts'

/** Addresses that answer without a credential, whoever asks. */
const openRoutes: readonly string[] = [
  '/',
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/schemas',
  '/schemas/config.json',
  '/schemas/:dialect/:name',
]
const failuresPerSecond = 10
const failuresBurst = 100
const maxRemembered = 64
const reads: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
/** Longer than proxies usually keep a connection, so that they are the ones who close it. */
const idleConnectionMs = 65_000
const ndjsonTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/** The names under which the gateway is reached and the pages that may write to it. */
export function originRulesOf(gate: Gate): OriginRules {
  const { hosts, origins, tls } = gate.config
  return { isLoopback: gate.isLoopback, isSecure: tls !== undefined, hosts, origins }
}

/** The HTTP server with all routes, not yet listening. */
export function createServer(gate: Gate, version: string, onRoute: (route: string) => void): FastifyInstance {
  const app = createApp(gate)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('isCounted', false)
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) onRoute(`${each} ${url}`)
  })
  addParsers(app, gate)
  // First, so that a page can read why it was refused.
  addCors(app, gate)
  addGuards(app, gate)
  addGzip(app)
  app.setErrorHandler((error, request, reply) => {
    const known = toSluiceError(error)
    if (known.code === 'internal')
      gate.logger.error({ requestId: request.id, err: error }, 'a request failed')
    const problem = toProblem(known)
    const retryAfter = retryAfterOf(known)
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
    // What is left of a body that was not taken is not read.
    if (!request.raw.complete && request.raw.httpVersionMajor < 2) reply.header('connection', 'close')
    return reply.code(problem.status).type(problemMediaType).send(JSON.stringify(problem))
  })
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?')[0] ?? ''
    const isKnown = ['GET', 'POST', 'DELETE'].some((method) => hasRoute(app, method, path))
    throw new SluiceError(isKnown ? 'method_not_allowed' : 'unknown_route')
  })
  addSessionRoutes(app, gate)
  addPublishRoutes(app, gate)
  addReadRoutes(app, gate)
  addInputRoutes(app, gate)
  addAccessRoutes(app, gate)
  addOperationRoutes(app, gate, version)
  addRootRoute(app, version)
  return app
}

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

function createApp({ config: { limits, tls } }: Gate): FastifyInstance {
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

function hasRoute(app: FastifyInstance, method: string, url: string): boolean {
  return app.findRoute({ method, url }) !== null || app.hasRoute({ method, url })
}

/** JSON is read as bytes, so that its text can be kept as it came; NDJSON is handed over as a stream. */
function addParsers(app: FastifyInstance, gate: Gate): void {
  const { limits } = gate.config
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (_request: FastifyRequest, payload: Readable) =>
    readBytes(payload, gate.clock, { maxBytes: limits.bodyBytes, idleMs: limits.bodyIdleMs }),
  )
  app.addContentTypeParser(ndjsonTypes, { bodyLimit: Number.MAX_SAFE_INTEGER }, (_request, payload, done) => {
    done(null, payload)
  })
}

/** What every request passes: the names it uses, how many there are, who sends it. */
function addGuards(app: FastifyInstance, gate: Gate): void {
  const { limits } = gate.config
  const rules = originRulesOf(gate)
  const rate = createRateLimiter(gate.clock, { perSecond: limits.requestsPerSecond })
  const isKnownHost = remember((host: string | undefined) => isHostAllowed(host, rules))
  const failures = createRateLimiter(gate.clock, { perSecond: failuresPerSecond, burst: failuresBurst })

  /** Guessing credentials is slowed down by where the guesses come from. */
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    try {
      return await authenticate(gate, request)
    } catch (error) {
      const waitMs = failures.take(request.ip)
      throw waitMs > 0 ? tooMany(waitMs) : error
    }
  }

  const enter = (request: FastifyRequest, reply: FastifyReply): void => {
    const subject = subjectOf(request)
    const waitMs = rate.take(subject)
    if (waitMs > 0) throw tooMany(waitMs)
    reply.raw.on('close', gate.connections.enter(subject))
  }

  const admit = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    reply.header('sluice-request-id', request.id)
    if (countHosts(request.raw.rawHeaders) > 1) throw new SluiceError('bad_request')
    if (!isKnownHost(hostOf(request))) throw new SluiceError('origin_refused')
    if (!reads.includes(request.method) && !isOriginAllowed(request.headers.origin, hostOf(request), rules))
      throw new SluiceError('origin_refused')
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      throw new SluiceError('unsupported_media_type', { message: 'Bodies are not to be compressed.' })
    const route = request.routeOptions.url ?? ''
    if (gate.isDraining && route !== '/readyz') throw new SluiceError('closed')
    // Who asks whether a gateway lives is answered however busy it is.
    if (openRoutes.includes(route)) return undefined
    if (request.method !== 'OPTIONS' && route !== '/v1/login')
      return identify(request).then((caller) => {
        request.caller = caller
        enter(request, reply)
      })
    enter(request, reply)
    return undefined
  }

  app.addHook('onRequest', (request, reply, done) => {
    try {
      const waiting = admit(request, reply)
      if (waiting === undefined) done()
      else waiting.then(() => done(), done)
    } catch (error) {
      done(toSluiceError(error))
    }
  })

  app.addHook('onResponse', (request, reply, done) => {
    countRequest(gate, request, reply, reply.statusCode)
    done()
  })
}

/** Remembers the last answers of a pure function that is asked the same again and again. */
function remember<Answer>(ask: (key: string | undefined) => Answer): (key: string | undefined) => Answer {
  const answers = new Map<string | undefined, Answer>()
  return (key) => {
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = ask(key)
    if (answers.size >= maxRemembered) answers.clear()
    answers.set(key, answer)
    return answer
  }
}

function tooMany(waitMs: number): SluiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new SluiceError('rate_limited', { details: { retryAfterSeconds } })
}

/** RFC 9112 §3.2: a request with two of them is refused, because those who pass it on may read the other one. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') count += 1
  return count
}

function hostOf(request: FastifyRequest): string | undefined {
  const authority = request.headers[':authority']
  return typeof authority === 'string' ? authority : request.headers.host
}

/** Those without a credential are told apart by where they come from. */
function subjectOf(request: FastifyRequest): string {
  const { caller } = request
  return caller === undefined || caller.via === 'anonymous' ? `ip ${request.ip}` : `sub ${caller.subject}`
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
