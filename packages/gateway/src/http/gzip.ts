import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptsGzip } from './media-type.ts'

const compress = promisify(gzip)
/** Below this the head of the answer weighs more than what is saved. */
const minBytes = 1024

/** Compresses answers that are not streams. */
export function addGzip(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < minBytes) return payload
    if (!acceptsGzip(request.headers['accept-encoding']) || reply.hasHeader('content-encoding'))
      return payload
    reply
      .header('content-encoding', 'gzip')
      .header('vary', 'Origin, Accept-Encoding')
      .removeHeader('content-length')
    return compress(payload)
  })
}
