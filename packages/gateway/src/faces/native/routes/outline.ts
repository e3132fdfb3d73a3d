import { encodeOutline, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readOutline } from '../../../kernel/sessions/read-outline.ts'
import type { Backend } from '../../backend.ts'
import { queryNumber, queryValue, sessionParam } from '../../http/parameters.ts'
import { fullCallerOf } from '../../http/request-caller.ts'

const defaultLimit = 1000
const maxLimit = 10_000

export function addOutlineRoute(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/outline', async (request) => {
    const caller = fullCallerOf(request)
    const after = readAfter(request)
    const limit = queryNumber(request, 'limit', defaultLimit, maxLimit)
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'subscribe')
    return encodeOutline(
      await readOutline(backend.kernel.log, session.id, { after, limit, head: session.lastSeq }),
    )
  })
}

function readAfter(request: FastifyRequest): number {
  const text = queryValue(request, 'after') ?? '-1'
  if (/^(-1|\d{1,15})$/.test(text)) return Number(text)
  throw new SluiceError('bad_request', { message: 'after is the number of an entry, or -1.' })
}
