import type { FastifyReply } from 'fastify'
import { logRequest } from '../../ops/logger.ts'
import type { Backend } from '../backend.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Already in the metrics: the time of a stream ends when its head is sent, not when it ends. */
    isCounted: boolean
  }
}

/** Counts a request in the metrics and writes its line in the log, once. */
export function countRequest(backend: Backend, reply: FastifyReply, status: number): void {
  const { request } = reply
  if (request.isCounted) return
  request.isCounted = true
  const route = request.routeOptions.url
  const durationMs = reply.elapsedTime
  backend.kernel.metrics.request(
    { route: route ?? 'none', method: request.method, status },
    durationMs / 1000,
  )
  logRequest(backend.kernel.logger, {
    method: request.method,
    route,
    status,
    durationMs,
    requestId: request.id,
    subject: request.caller?.subject,
  })
}
