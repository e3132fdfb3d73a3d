import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptsGzip } from './media-type.ts'

/** Below this the head of the answer weighs more than what is saved. */
const minBytes = 1024

/** Compresses answers that are not streams. */
export function addGzip(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWorthIt = typeof payload === 'string' && payload.length >= minBytes
    if (
      !isWorthIt ||
      reply.hasHeader('content-encoding') ||
      !acceptsGzip(request.headers['accept-encoding'])
    ) {
      done(null, payload)
      return
    }
    gzip(payload, (error, compressed) => {
      if (error !== null) return done(error)
      reply.header('content-encoding', 'gzip')
      reply.removeHeader('content-length')
      done(null, compressed)
    })
  })
}
