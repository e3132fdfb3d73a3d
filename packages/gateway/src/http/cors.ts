import type { FastifyInstance } from 'fastify'
import type { Gate } from '../gate.ts'

const exposed = 'Sluice-Cursor, Sluice-Session, Retry-After, Sluice-Request-Id, Location'
const allowed =
  'Authorization, Content-Type, Sluice-Producer, Idempotency-Key, Last-Event-ID, Traceparent, Tracestate'

/** Pages of the listed origins may read answers; for all others it stays closed. */
export function addCors(app: FastifyInstance, gate: Gate): void {
  const { origins } = gate.config
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    reply.header('vary', 'Origin, Accept, Accept-Encoding')
    if (origin === undefined || !origins.includes(origin)) {
      done()
      return
    }
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed)
    reply.header('access-control-allow-credentials', 'true')
    if (request.method !== 'OPTIONS') {
      done()
      return
    }
    void reply
      .header('access-control-allow-methods', 'GET, POST, DELETE')
      .header('access-control-allow-headers', allowed)
      .header('access-control-max-age', '600')
      .code(204)
      .send()
  })
}
