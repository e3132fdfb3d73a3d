import { encodeOutline, SluiceError } from '@sluice/protocol'
import { eventSchemas } from '@sluice/protocol/schemas'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { readOutline } from '../../../kernel/sessions/read-outline.ts'
import type { Backend } from '../../backend.ts'
import { queryNumber, queryValue, sessionParam } from '../../http/parameters.ts'
import { fullCallerOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { query, sessionParams } from '../../openapi/parameters.ts'
import { anyRequest, anySession, toProblems } from '../../openapi/problems.ts'
import { countSchema } from '../schemas.ts'

const defaultLimit = 1000
const maxLimit = 10_000

const { tool, status } = eventSchemas['tool-result'].properties

const outlineSchema = Type.Object(
  {
    from: countSchema,
    shapes: Type.Array(
      Type.Object({
        direction: Type.Enum(['event', 'input', 'system']),
        kinds: Type.Array(Type.Enum(Object.keys(eventSchemas))),
        level: Type.Optional(Type.Enum(['warning', 'error'])),
      }),
    ),
    rows: Type.Array(
      Type.Array(Type.Unsafe<number | null>({ type: ['number', 'null'] }), {
        minItems: 5,
        maxItems: 5,
        description:
          'Of entry from + i: when it came in, the index of its shape, characters, findings, delay.',
      }),
    ),
    calls: Type.Array(
      Type.Object({ seq: countSchema, call: Type.String(), tool, status: Type.Optional(status) }),
    ),
    next: Type.Optional(countSchema),
    head: Type.Integer({ minimum: -1 }),
  },
  { $id: 'Outline' },
)

const getOutlineOperation: FastifySchema = {
  operationId: 'getOutline',
  tags: ['sessions'],
  summary: 'What the entries are, without what they hold',
  params: sessionParams,
  querystring: Type.Object({
    agent: query.agent,
    after: Type.Optional(
      Type.Integer({ description: 'The entry behind which the page begins.', minimum: -1, default: -1 }),
    ),
    limit: Type.Optional(
      Type.Integer({
        description: 'How many entries a page tells of at most.',
        minimum: 1,
        maximum: maxLimit,
        default: defaultLimit,
      }),
    ),
  }),
  response: {
    200: jsonAnswer('A page of the outline.', outlineSchema),
    ...toProblems(...anyRequest, ...anySession),
  },
}

export function addOutlineRoute(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/outline', { schema: getOutlineOperation }, async (request) => {
    const caller = fullCallerOf(request)
    const after = readAfter(request)
    const limit = queryNumber(request, 'limit', { fallback: defaultLimit, max: maxLimit })
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
