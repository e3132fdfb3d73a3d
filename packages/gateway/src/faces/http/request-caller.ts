import { omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyRequest } from 'fastify'
import { isOpenTo } from '../../access/anonymity.ts'
import type { Caller } from '../../access/caller.ts'
import type { Backend } from '../backend.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The sender of the request; set before any route that needs it runs. */
    caller: Caller | undefined
  }
}

/**
 * The caller of a request. Throws `unauthenticated` without one, and `forbidden` for a subscription's ticket.
 */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new SluiceError('unauthenticated')
  if (request.caller.readsSubscription !== undefined) throw new SluiceError('forbidden')
  return request.caller
}

/** The caller of a request that reads the events of this subscription. */
export function subscriptionCallerOf(request: FastifyRequest, id: string): Caller {
  const { caller } = request
  return caller?.readsSubscription === id ? caller : callerOf(request)
}

/**
 * The caller of a request that shows more than one dialect does. Throws `forbidden` for a dialect's ticket.
 */
export function fullCallerOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.readsDialect !== undefined) throw new SluiceError('forbidden')
  return caller
}

/** Whether the caller may read sessions in this dialect: a ticket may be bound to another one. */
export function readsIn(caller: Caller, dialect: string): boolean {
  return caller.readsDialect === undefined || caller.readsDialect === dialect
}

/** Identifies the caller of a request. */
export function authenticate(backend: Backend, request: FastifyRequest): Promise<Caller> {
  const { authorization } = request.headers
  const { ticket } = request.query as { readonly ticket?: unknown } // a parsed query string is an object
  return backend.authenticator.authenticate({
    isOpen: isOpenTo(backend.anonymity, request.raw),
    ...omitUndefined({ authorization }),
    ...(typeof ticket === 'string' ? { ticket } : {}),
  })
}

/** The caller of a request that does more than read. Throws `forbidden` for a ticket. */
export function holderOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.via === 'ticket') throw new SluiceError('forbidden')
  return caller
}
