import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Backend } from '../backend.ts'

const exposed = 'Sluice-Counted, Sluice-Cursor, Sluice-Session, Retry-After, Sluice-Request-Id, Location'
const allowed =
  'Authorization, Content-Type, Sluice-Producer, Idempotency-Key, Last-Event-ID, Traceparent, Tracestate'

/**
 * Pages of the listed origins may read all answers, including refusals; pages of other origins may read none.
 */
export function addCors(app: FastifyInstance, backend: Backend): void {
  const { origins } = backend.kernel.config
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    reply.header('vary', 'Origin, Accept, Accept-Encoding')
    if (origin !== undefined && origins.includes(origin))
      reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed)
    done()
  })
}

/** Answers preflight requests. Those of origins that are not allowed were refused before. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.method !== 'OPTIONS' || !reply.hasHeader('access-control-allow-origin')) {
    done()
    return
  }
  void reply
    .header('access-control-allow-methods', 'GET, POST, DELETE')
    .header('access-control-allow-headers', allowed)
    .header('access-control-max-age', '600')
    .code(204)
    .send()
}
