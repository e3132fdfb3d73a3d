import { SluiceError } from '@sluice/protocol'
import { eventSchemas } from '@sluice/protocol/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { dialectView, inputsView } from '../../../kernel/fan-out/view-spec.ts'
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
import { emptyAnswer, streamedAnswer } from '../../openapi/answers.ts'
import { query, resumeHeaders, sessionParams, ticketSecurity } from '../../openapi/parameters.ts'
import { anyRequest, anySession, toProblems } from '../../openapi/problems.ts'
import { openStream, type StreamRequest } from '../open-stream.ts'
import { readPage } from '../read-page.ts'
import {
  countSchema,
  cursorSchema,
  frameSchema,
  responseSchema,
  timeSchema,
  toCursorFramesSchema,
} from '../schemas.ts'

const defaultDialect = 'sluice'
const defaultLimit = 100
const maxLimit = 1000

/** The query parameters of both routes. */
const streamQuery = {
  agent: query.agent,
  after: query.after,
  live: Type.Optional(
    Type.Boolean({
      description: 'False ends a stream where the session stood when the request came.',
      default: true,
    }),
  ),
  cursors: Type.Optional(
    Type.Boolean({
      description: 'Puts each line of NDJSON into an object with its cursor.',
      default: false,
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: 'How many frames a JSON page holds at most.',
      minimum: 1,
      maximum: maxLimit,
      default: defaultLimit,
    }),
  ),
  join: Type.Optional(
    Type.Boolean({
      description:
        'Begins a JSON page with the frames that a client of the dialect needs for joining, such as the task of A2A. ' +
        'By default only a page `after=now` has them, since all others continue what the client has.',
    }),
  ),
}

const nothingLeft = emptyAnswer('The session has ended, and nothing follows the cursor.')

const toPageSchema = ($id: string, frame: Type.TSchema) =>
  Type.Object(
    {
      frames: toCursorFramesSchema(frame),
      cursor: cursorSchema,
      end: Type.Boolean({ description: 'True when nothing follows.' }),
    },
    { $id },
  )

const readEventsOperation: FastifySchema = {
  operationId: 'readEvents',
  tags: ['reading'],
  summary: 'Reads a session in the dialect that the client speaks',
  security: ticketSecurity,
  params: sessionParams,
  querystring: Type.Object({
    ...streamQuery,
    dialect: query.dialect,
    coalesce: Type.Optional(
      Type.String({
        description: 'Joins pieces of text until a boundary, or all that came within 1ms to 10000ms.',
        pattern: '^(word|sentence|paragraph|\\d{1,5}ms)$',
      }),
    ),
  }),
  headers: resumeHeaders,
  response: {
    200: streamedAnswer('The frames behind the cursor.', toPageSchema('FramePage', frameSchema), frameSchema),
    204: nothingLeft,
    ...toProblems(...anyRequest, ...anySession, 'unknown_dialect', 'bad_cursor', 'not_acceptable', 'gap'),
  },
}

const inputSchema = Type.Object(
  {
    seq: countSchema,
    at: timeSchema,
    type: Type.Enum(['answer', 'cancel', 'message']),
    by: Type.Optional(Type.String()),
    token: Type.Optional(Type.String()),
    how: Type.Optional(Type.Enum(['answered', 'timeout'])),
    decision: Type.Optional(Type.String()),
    response: Type.Optional(responseSchema),
    reason: Type.Optional(Type.String()),
    id: Type.Optional(Type.String()),
    parts: Type.Optional(eventSchemas.message.properties.parts),
  },
  { $id: 'Input' },
)

const readInputsOperation: FastifySchema = {
  operationId: 'readInputs',
  tags: ['inputs'],
  summary: 'What was sent to the agent, for the agent',
  params: sessionParams,
  querystring: Type.Object(streamQuery),
  headers: resumeHeaders,
  response: {
    200: streamedAnswer('The inputs behind the cursor.', toPageSchema('InputPage', inputSchema), inputSchema),
    204: nothingLeft,
    ...toProblems(...anyRequest, ...anySession, 'session_reserved', 'bad_cursor', 'not_acceptable', 'gap'),
  },
}

export function addReadRoutes(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/events', { schema: readEventsOperation }, async (request, reply) => {
    const caller = callerOf(request)
    const named = queryValue(request, 'dialect') ?? caller.readsDialect ?? defaultDialect
    const dialect = backend.kernel.dialect(named)
    if (caller.readsDialect !== undefined && caller.readsDialect !== dialect.id)
      throw new SluiceError('forbidden')
    const coalesce = queryValue(request, 'coalesce')
    const spec = dialectView(dialect, coalesce === undefined ? undefined : parseCoalescing(coalesce))
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'subscribe')
    return answer(backend, reply, { session, spec })
  })

  app.get('/v1/sessions/:id/inputs', { schema: readInputsOperation }, async (request, reply) => {
    const session = await backend.kernel.reach(callerOf(request), sessionParam(request).id, 'publish')
    return answer(backend, reply, { session, spec: inputsView })
  })
}

async function answer(
  backend: Backend,
  reply: FastifyReply,
  { session, spec }: Pick<StreamRequest, 'session' | 'spec'>,
): Promise<unknown> {
  const { request } = reply
  const media = negotiate(request.headers.accept, ['json', 'sse', 'ndjson'])
  const after = parseAfter(lastEventId(request) ?? queryValue(request, 'after') ?? '-1')
  if (media === 'json') {
    const limit = queryNumber(request, 'limit', { fallback: defaultLimit, max: maxLimit })
    const join = queryFlag(request, 'join', { fallback: after === 'now' })
    return reply.type('application/json').send(await readPage(session, { spec, after, limit, join }))
  }
  const live = queryFlag(request, 'live', { fallback: true })
  const cursors = queryFlag(request, 'cursors', { fallback: false })
  await openStream(backend, reply, { session, spec, after, live, media, cursors })
  return reply
}

/** An EventSource sends this header when it reconnects. It overrides the query, which stays the same. */
function lastEventId(request: FastifyRequest): string | undefined {
  const value = request.headers['last-event-id']
  return typeof value === 'string' && value !== '' ? value : undefined
}
