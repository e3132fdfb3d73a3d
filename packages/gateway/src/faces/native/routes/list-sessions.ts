import { omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { seenBy } from '../../../kernel/sessions/list-watch.ts'
import { listSessions, type SessionQuery } from '../../../kernel/sessions/session-list.ts'
import type { Backend } from '../../backend.ts'
import { negotiate } from '../../http/media-type.ts'
import { queryFlag, queryNumber, queryValue, queryValues } from '../../http/parameters.ts'
import { fullCallerOf } from '../../http/request-caller.ts'
import { answer } from '../../openapi/answers.ts'
import { anyRequest, toProblems } from '../../openapi/problems.ts'
import { sessionSchema } from '../schemas.ts'
import { streamSessions } from '../stream-sessions.ts'

/** How many sessions a page has by default. */
export const defaultLimit = 50
const maxLimit = 200
const states = ['open', 'waiting', 'ended']

const pageSchema = Type.Object(
  { sessions: Type.Array(sessionSchema), next: Type.Optional(Type.String()) },
  { $id: 'SessionPage' },
)

const listSessionsOperation: FastifySchema = {
  operationId: 'listSessions',
  tags: ['sessions'],
  summary: 'Lists sessions, newest first',
  querystring: Type.Partial(
    Type.Object({
      limit: Type.Integer({
        description: 'How many sessions a page holds at most.',
        minimum: 1,
        maximum: maxLimit,
        default: defaultLimit,
      }),
      page: Type.String({ description: 'The next of the page before.' }),
      state: Type.String({ description: 'Only sessions in this state.', enum: states }),
      context: Type.String({ description: 'Only sessions of this conversation.' }),
      label: Type.Array(Type.String(), {
        description: 'Only sessions with these labels, each name:value.',
      }),
      q: Type.String({ description: 'A text in id, foreign id, title, agent or label.' }),
      live: Type.Boolean({ description: 'Goes on with changes as server-sent events.', default: false }),
    }),
  ),
  response: {
    200: answer('A page, or with live the page and then every change.', {
      'application/json': pageSchema,
      'text/event-stream': Type.String({ description: 'The events session, ready and deleted.' }),
    }),
    ...toProblems(...anyRequest, 'not_acceptable'),
  },
}

export function addListSessionsRoute(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions', { schema: listSessionsOperation }, async (request, reply) => {
    const isVisible = seenBy(fullCallerOf(request))
    const query = readQuery(request)
    if (!queryFlag(request, 'live', { fallback: false }))
      return listSessions(backend.kernel.log, query, isVisible)
    negotiate(request.headers.accept, ['sse'])
    await streamSessions(backend, reply, { query, isVisible })
    return reply
  })
}

function readQuery(request: FastifyRequest): SessionQuery {
  const page = queryValue(request, 'page')
  const state = queryValue(request, 'state')
  const context = queryValue(request, 'context')
  const text = queryValue(request, 'q')
  if (state !== undefined && !states.includes(state))
    throw new SluiceError('bad_request', { message: 'state is open, waiting or ended.' })
  const labels = queryValues(request, 'label').map((label) => {
    const [, name, value] = /^([^:]+):(.*)$/s.exec(label) ?? []
    if (name === undefined || value === undefined)
      throw new SluiceError('bad_request', { message: 'label is of the form name:value.' })
    return [name, value] as const
  })
  return omitUndefined({
    limit: queryNumber(request, 'limit', { fallback: defaultLimit, max: maxLimit }),
    labels,
    page,
    state,
    context,
    text,
  })
}
