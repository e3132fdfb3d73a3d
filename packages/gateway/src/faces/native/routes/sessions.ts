import { omitUndefined, SluiceError, toSnapshot } from '@sluice/protocol'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import type { Session } from '../../../kernel/sessions/session.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { queryValue, sessionParam } from '../../http/parameters.ts'
import { callerOf, fullCallerOf } from '../../http/request-caller.ts'
import { emptyAnswer, jsonAnswer } from '../../openapi/answers.ts'
import { query, sessionParams, sessionQuery } from '../../openapi/parameters.ts'
import { anyBody, anyRequest, anySession, anyWrite, toProblems } from '../../openapi/problems.ts'
import { cursorSchema, nameSchema, objectSchema, sessionSchema, takenSchema } from '../schemas.ts'
import { resourceOf } from './create-session.ts'

const tags = ['sessions']

const endingSchema = Type.Object(
  {
    outcome: Type.Optional(Type.Enum(['completed', 'failed', 'cancelled', 'rejected'])),
    error: Type.Optional(
      Type.Object(
        {
          category: Type.Optional(Type.Enum(['transient', 'permanent', 'requires_user', 'unknown'])),
          code: Type.Optional(nameSchema),
          message: Type.Optional(Type.String({ maxLength: 4096 })),
          recoverable: Type.Optional(Type.Boolean()),
          hint: Type.Optional(Type.String({ maxLength: 4096 })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'EndRequest', additionalProperties: false },
)

const readEnding = createBodyReader(endingSchema)

const snapshotSchema = Type.Object(
  { session: sessionSchema, cursor: cursorSchema, snapshot: objectSchema },
  { $id: 'Snapshot' },
)

const getSessionOperation: FastifySchema = {
  operationId: 'getSession',
  tags,
  summary: 'The snapshot of a session',
  params: sessionParams,
  querystring: Type.Object({
    agent: query.agent,
    at: Type.Optional(
      Type.Integer({ description: 'The entry after which the snapshot is taken.', minimum: -1 }),
    ),
  }),
  response: {
    200: jsonAnswer('Session, cursor and snapshot, cut at one entry.', snapshotSchema),
    ...toProblems(...anyRequest, ...anySession, 'unknown_entry'),
  },
}

const deleteSessionOperation: FastifySchema = {
  operationId: 'deleteSession',
  tags,
  summary: 'Deletes a session with all its data',
  params: sessionParams,
  querystring: sessionQuery,
  response: {
    204: emptyAnswer('It is deleted.'),
    ...toProblems(...anyRequest, ...anySession, ...anyWrite),
  },
}

const endSessionOperation: FastifySchema = {
  operationId: 'endSession',
  tags,
  summary: 'Ends a session',
  params: sessionParams,
  querystring: sessionQuery,
  body: endingSchema,
  isBodyOptional: true,
  response: {
    200: jsonAnswer('The session has ended.', takenSchema),
    ...toProblems(...anyRequest, ...anySession, ...anyBody, ...anyWrite, 'session_reserved', 'session_ended'),
  },
}

export function addSessionRoutes(app: FastifyInstance, backend: Backend): void {
  app.get('/v1/sessions/:id', { schema: getSessionOperation }, async (request) => {
    const session = await backend.kernel.reach(fullCallerOf(request), sessionParam(request).id, 'subscribe')
    const at = queryValue(request, 'at')
    // Read once, so that the resource, the state and the cursor belong to the same entry.
    const resource = resourceOf(session)
    const seq = at === undefined ? resource.seq : Number(/^\d{1,15}$/.exec(at)?.[0] ?? Number.NaN)
    if (Number.isNaN(seq) || seq > resource.seq) throw new SluiceError('unknown_entry')
    return { session: resource, cursor: String(seq), snapshot: toSnapshot(await session.stateAt(seq)) }
  })

  app.delete('/v1/sessions/:id', { schema: deleteSessionOperation }, async (request, reply) => {
    const session = await backend.kernel.reach(callerOf(request), sessionParam(request).id, 'admin')
    await backend.kernel.directory.delete(session.id)
    return reply.code(204).send()
  })

  app.post('/v1/sessions/:id/end', { schema: endSessionOperation }, async (request) => {
    const caller = callerOf(request)
    const { outcome = 'completed', error } = readEnding(request.body)
    const session = await reachToEnd(backend, caller, sessionParam(request).id)
    const seq = await session.write((writer) =>
      writer.make(
        () => [
          {
            kind: 'session-end',
            outcome,
            ...omitUndefined({ error }),
            ...(caller.via === 'anonymous' ? {} : { by: caller.subject }),
          },
        ],
        {
          direction: 'system',
          source: { dialect: 'sluice', ...(caller.via === 'anonymous' ? {} : { subject: caller.subject }) },
        },
      ),
    )
    return { cursor: String(seq) }
  })
}

/** Only an administrator may end a session that belongs to another writer. */
async function reachToEnd(backend: Backend, caller: Caller, id: string): Promise<Session> {
  try {
    return await backend.kernel.reach(caller, id, 'publish')
  } catch (error) {
    const isReserved = error instanceof SluiceError && error.code === 'session_reserved'
    if (!isReserved || !caller.canSome('admin')) throw error
    return backend.kernel.reach(caller, id, 'admin')
  }
}
