import type { IncomingHttpHeaders } from 'node:http'
import { Http2ServerResponse } from 'node:http2'
import { SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import { isHostAllowed, isSiteAllowed, type OriginRules } from '../../access/origin.ts'
import { createRateLimiter } from '../../ops/rate-limiter.ts'
import type { Backend } from '../backend.ts'
import { countRequest } from './count-request.ts'
import { toSluiceError } from './problem.ts'
import { authenticate } from './request-caller.ts'

const failuresPerSecond = 10
const failuresBurst = 100
const maxRemembered = 64

/** The host names of the gateway, and the pages that may use it. */
export function originRulesOf(backend: Backend): OriginRules {
  const { hosts, origins, tls } = backend.kernel.config
  return { isLoopback: backend.isLoopback, isSecure: tls !== undefined, hosts, origins }
}

/** The checks that every request must pass: host and origin, rate, caller. */
export function addGuards(app: FastifyInstance, backend: Backend): void {
  const { limits } = backend.kernel.config
  const rules = originRulesOf(backend)
  const rate = createRateLimiter(backend.kernel.clock, { perSecond: limits.requestsPerSecond })
  const isKnownHost = remember((host: string | undefined) => isHostAllowed(host, rules))
  const failures = createRateLimiter(backend.kernel.clock, {
    perSecond: failuresPerSecond,
    burst: failuresBurst,
  })

  /** Slows down the guessing of credentials, per client address. */
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    try {
      return await authenticate(backend, request)
    } catch (error) {
      const waitMs = failures.take(request.ip)
      throw waitMs > 0 ? tooMany(waitMs) : error
    }
  }

  const enter = (request: FastifyRequest, reply: FastifyReply): void => {
    // Its place would never be free again.
    if (hasLeft(reply)) throw new SluiceError('bad_request', { message: 'The client has left.' })
    const subject = subjectOf(request)
    const waitMs = rate.take(subject)
    if (waitMs > 0) throw tooMany(waitMs)
    reply.raw.on('close', backend.connections.enter(subject))
    reply.raw.on('close', backend.idle.enter(request.raw.socket))
  }

  const admit = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    reply.header('sluice-request-id', request.id)
    const route = request.routeOptions.url ?? ''
    const host = hostOf(request)
    if (countHosts(request.raw.rawHeaders) > 1) throw new SluiceError('bad_request')
    // Before any lookup, for reads too: to a foreign page, every address must look the same.
    if (
      !isKnownHost(host) ||
      !isSiteAllowed(
        { headers: request.headers, host, isPage: request.routeOptions.config.isPage === true },
        rules,
      )
    )
      throw new SluiceError('origin_refused')
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      throw new SluiceError('unsupported_media_type', {
        message: 'Compressed request bodies are not supported.',
      })
    if (backend.kernel.isDraining && route !== '/readyz') throw new SluiceError('closed')
    // Open routes, such as health checks, answer however busy the gateway is.
    if (request.routeOptions.config.isOpen === true) return undefined
    // A login carries its credential in the body.
    const isLogin = route === '/v1/login' && request.method === 'POST'
    if (request.method !== 'OPTIONS' && !isLogin)
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

  app.addHook('onResponse', (_, reply, done) => {
    countRequest(backend, reply, reply.statusCode)
    done()
  })
}

/** Caches the results of a pure function that is called with the same few keys. */
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

function hasLeft({ raw }: FastifyReply): boolean {
  return raw instanceof Http2ServerResponse ? raw.stream.destroyed : raw.destroyed
}

function tooMany(waitMs: number): SluiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new SluiceError('rate_limited', { details: { retryAfterSeconds } })
}

/**
 * RFC 9112 §3.2: a request with two Host headers is refused, because an intermediary may read the other one.
 */
export function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') count += 1
  return count
}

/** The host name that the request uses for the gateway. */
export function hostOf({ headers }: { readonly headers: IncomingHttpHeaders }): string | undefined {
  const authority = headers[':authority']
  return typeof authority === 'string' ? authority : headers.host
}

/** Callers without a credential are counted by address. */
function subjectOf(request: FastifyRequest): string {
  const { caller } = request
  return caller === undefined || caller.via === 'anonymous' ? `ip ${request.ip}` : `sub ${caller.subject}`
}
