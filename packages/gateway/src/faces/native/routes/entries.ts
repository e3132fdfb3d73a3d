import { type Entry, SluiceError, startCursor } from '@sluice/protocol'
import { dialectById, tellEntry } from '@sluice/protocol/dialects'
import { schemas } from '@sluice/protocol/schemas'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { toCursorFrame } from '../../../kernel/fan-out/wire-format.ts'
import type { Session } from '../../../kernel/sessions/session.ts'
import type { Backend } from '../../backend.ts'
import { queryValue, sessionParam } from '../../http/parameters.ts'
import { fullCallerOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { query, sessionParams } from '../../openapi/parameters.ts'
import { anyRequest, anySession, toProblems } from '../../openapi/problems.ts'
import { frameSchema, toCursorFramesSchema } from '../schemas.ts'

/** The published schema, without the URN that it is published under. */
const { $schema: _, ...entrySchema } = { $schema: '', ...schemas['sluice']?.['entry'], $id: 'Entry' }

const toldEntrySchema = Type.Object(
  {
    dialect: Type.String(),
    frames: toCursorFramesSchema(frameSchema),
    lost: Type.Array(Type.String(), { description: 'Paths such as tool-call.args.' }),
  },
  { $id: 'ToldEntry' },
)

const getEntryOperation: FastifySchema = {
  operationId: 'getEntry',
  tags: ['sessions'],
  summary: 'One entry with what was received and every finding, or as the readers of a dialect get it',
  params: Type.Object({
    ...sessionParams.properties,
    seq: Type.Integer({ description: 'The number of the entry.', minimum: 0 }),
  }),
  querystring: Type.Object({ agent: query.agent, dialect: query.dialect }),
  response: {
    200: jsonAnswer(
      'The entry; with a dialect its frames, and what they no longer say.',
      Type.Union([Type.Unsafe(entrySchema), toldEntrySchema]),
    ),
    ...toProblems(...anyRequest, ...anySession, 'unknown_entry', 'unknown_dialect'),
  },
}

export function addEntryRoute(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id/entries/:seq', { schema: getEntryOperation }, async (request, reply) => {
    const caller = fullCallerOf(request)
    const seq = seqParam(request)
    const named = queryValue(request, 'dialect')
    const dialect = named === undefined ? undefined : backend.kernel.dialect(named)
    const session = await backend.kernel.reach(caller, sessionParam(request).id, 'subscribe')
    const entry = await session.entryAt(seq)
    if (entry === undefined) throw new SluiceError('unknown_entry')
    if (dialect === undefined) return reply.type('application/json').send(await toWhole(session, entry))
    const { frames, lost } = tellEntry(dialect, await session.stateAt(seq - 1), entry)
    const told = `[${frames.map(toCursorFrame).join(',')}]`
    return reply
      .type('application/json')
      .send(`{"dialect":"${dialect.id}","frames":${told},"lost":${JSON.stringify(lost)}}`)
  })
}

function seqParam(request: FastifyRequest): number {
  const { seq = '' } = request.params as { readonly seq?: string } // the route has this parameter
  if (!/^\d{1,15}$/.test(seq)) throw new SluiceError('unknown_entry')
  return Number(seq)
}

/** The stored entry: the received text, its events and every finding. */
async function toWhole(session: Session, entry: Entry): Promise<string | undefined> {
  const { encode } = dialectById('sluice')
  const { state } = encode.enter(await session.stateAt(-1), startCursor)
  const [frame] = encode.step(state, entry).frames
  return frame?.data
}
