import { SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ViewSpec } from '../../../kernel/fan-out/position.ts'
import { dialectView, inputsView } from '../../../kernel/fan-out/view-spec.ts'
import type { Session } from '../../../kernel/sessions/session.ts'
import type { Backend } from '../../backend.ts'
import { negotiate } from '../../http/media-type.ts'
import {
  parseAfter,
  parseCoalescing,
  queryFlag,
  queryNumber,
  queryValue,
  sessionParam,
} from '../../http/parameters.ts'
import { callerOf } from '../../http/request-caller.ts'
import { openStream } from '../open-stream.ts'
import { readPage } from '../read-page.ts'

const defaultDialect = 'sluice'
const defaultLimit = 100
const maxLimit = 1000

export function addReadRoutes(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/events', async (request, reply) => {
    const caller = callerOf(request)
    const named = queryValue(request, 'dialect') ?? caller.readsDialect ?? defaultDialect
    const dialect = backend.kernel.dialect(named)
    if (caller.readsDialect !== undefined && caller.readsDialect !== dialect.id)
      throw new SluiceError('forbidden')
    const coalesce = queryValue(request, 'coalesce')
    const spec = dialectView(dialect, coalesce === undefined ? undefined : parseCoalescing(coalesce))
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'subscribe')
    return answer(backend, request, reply, session, spec)
  })

  app.get('/v1/sessions/:id/inputs', async (request, reply) => {
    const session = await backend.kernel.reach(callerOf(request), sessionParam(request).id, 'publish')
    return answer(backend, request, reply, session, inputsView)
  })
}

async function answer(
  backend: Backend,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
  spec: ViewSpec,
): Promise<unknown> {
  const media = negotiate(request.headers.accept, ['json', 'sse', 'ndjson'])
  const after = parseAfter(lastEventId(request) ?? queryValue(request, 'after') ?? '-1')
  if (media === 'json') {
    const limit = queryNumber(request, 'limit', defaultLimit, maxLimit)
    return reply.type('application/json').send(await readPage(session, spec, after, limit))
  }
  const live = queryFlag(request, 'live', true)
  const cursors = queryFlag(request, 'cursors', false)
  await openStream(backend, request, reply, { session, spec, after, live, media, cursors })
  return reply
}

/** What a browser's EventSource sends when it comes back; it wins over the address, which does not change. */
function lastEventId(request: FastifyRequest): string | undefined {
  const value = request.headers['last-event-id']
  return typeof value === 'string' && value !== '' ? value : undefined
}
