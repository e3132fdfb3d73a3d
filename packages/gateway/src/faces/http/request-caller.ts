import { SluiceError } from '@sluice/protocol'
import type { FastifyRequest } from 'fastify'
import { isOpenTo } from '../../access/anonymity.ts'
import type { Caller } from '../../access/caller.ts'
import type { Backend } from '../backend.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends the request; set before any route that asks for it runs. */
    caller: Caller | undefined
  }
}

/** The caller of a request, or `unauthenticated`. A ticket for a subscription reaches nothing else. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new SluiceError('unauthenticated')
  if (request.caller.readsSubscription !== undefined) throw new SluiceError('forbidden')
  return request.caller
}

/** The caller of a request that reads the events of a subscription. */
export function subscriptionCallerOf(request: FastifyRequest, id: string): Caller {
  const { caller } = request
  return caller?.readsSubscription === id ? caller : callerOf(request)
}

/** The caller of a request for more than one dialect shows; a ticket for a dialect does not reach it. */
export function fullCallerOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.readsDialect !== undefined) throw new SluiceError('forbidden')
  return caller
}

/** Whether the credential reads sessions in this dialect: a ticket may be for another one. */
export function readsIn(caller: Caller, dialect: string): boolean {
  return caller.readsDialect === undefined || caller.readsDialect === dialect
}

/** Finds out who sends a request. */
export function authenticate(backend: Backend, request: FastifyRequest): Promise<Caller> {
  const { authorization } = request.headers
  const { ticket } = request.query as { readonly ticket?: unknown } // a parsed query string is an object
  return backend.authenticator.authenticate({
    isOpen: isOpenTo(backend.anonymity, request.raw),
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof ticket === 'string' ? { ticket } : {}),
  })
}

/** A caller with a credential of its own: a ticket reads, and does nothing else. */
export function holderOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (caller.via === 'ticket') throw new SluiceError('forbidden')
  return caller
}
