import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptsEncoding } from './media-type.ts'

/** Below this size, the added headers cost more than compression saves. */
export const minCompressedBytes = 1024

/** Compresses answers that are not streams. */
export function addGzip(app: FastifyInstance): void {
  // biome-ignore lint/complexity/useMaxParams: Fastify calls the hook like this.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWorthIt = typeof payload === 'string' && payload.length >= minCompressedBytes
    if (
      !isWorthIt ||
      reply.hasHeader('content-encoding') ||
      !acceptsEncoding(request.headers['accept-encoding'], 'gzip')
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
