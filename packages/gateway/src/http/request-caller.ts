import { SluiceError } from '@sluice/protocol'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import type { Gate } from '../gate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request; set before any route that asks for it runs. */
    caller: Caller | undefined
  }
}

/** The caller of a request, or `unauthenticated`. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new SluiceError('unauthenticated')
  return request.caller
}

/** The caller of a request for more than one dialect shows; a ticket for a dialect does not reach it. */
export function fullCallerOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.readsDialect !== undefined) throw new SluiceError('forbidden')
  return caller
}

/** Finds out who sends a request. */
export function authenticate(gate: Gate, request: FastifyRequest): Promise<Caller> {
  const { authorization, cookie } = request.headers
  const { ticket } = request.query as { readonly ticket?: unknown } // a parsed query string is an object
  return gate.authenticator.authenticate({
    isLoopback: gate.isLoopback,
    ...(authorization === undefined ? {} : { authorization }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(typeof ticket === 'string' ? { ticket } : {}),
  })
}
