import { createHash, randomBytes } from 'node:crypto'
import { type JsonObject, omitUndefined, SluiceError } from '@sluice/protocol'
import { isSessionId, toSessionId } from '@sluice/protocol/dialects'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { hideDeletion } from '../../../kernel/sessions/hide-deletion.ts'
import type { Session } from '../../../kernel/sessions/session.ts'
import {
  createdBy,
  type SessionInfo,
  subjectWriter,
  toInfo,
  toResource,
} from '../../../kernel/sessions/session-info.ts'
import { targetOf } from '../../../kernel/sessions/session-target.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { callerOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { creationHeaders } from '../../openapi/parameters.ts'
import { anyBody, anyRequest, anyWrite, toProblems } from '../../openapi/problems.ts'
import { labelsSchema, nameSchema, objectSchema, sessionIdSchema, sessionSchema } from '../schemas.ts'

const requestSchema = Type.Object(
  {
    id: Type.Optional(sessionIdSchema),
    foreign: Type.Optional(nameSchema),
    agent: Type.Optional(nameSchema),
    context: Type.Optional(nameSchema),
    labels: Type.Optional(labelsSchema),
    attributes: Type.Optional(objectSchema),
    exclusive: Type.Optional(
      Type.Boolean({ description: 'Whether only the subject that creates it publishes to it.' }),
    ),
  },
  { $id: 'SessionRequest', additionalProperties: false },
)

const readRequest = createBodyReader(requestSchema)

const maxAttributesBytes = 16 * 1024

const createSessionOperation: FastifySchema = {
  operationId: 'createSession',
  tags: ['sessions'],
  summary: 'Creates a session',
  headers: creationHeaders,
  body: requestSchema,
  isBodyOptional: true,
  response: {
    200: jsonAnswer('The session that a request with the same key has made.', sessionSchema, 'Location'),
    201: jsonAnswer('The session.', sessionSchema, 'Location'),
    ...toProblems(...anyRequest, ...anyBody, ...anyWrite, 'session_exists', 'session_deleted'),
  },
}

export function addCreateSessionRoute(app: FastifyInstance, backend: Backend): void {
  app.post('/v1/sessions', { schema: createSessionOperation }, async (request, reply) => {
    const { session, isNew } = await createOne(backend, request)
    return reply
      .code(isNew ? 201 : 200)
      .header('location', `/v1/sessions/${session.id}`)
      .send(resourceOf(session))
  })
}

async function createOne(
  backend: Backend,
  request: FastifyRequest,
): Promise<{ readonly session: Session; readonly isNew: boolean }> {
  const caller = callerOf(request)
  const asked = readRequest(request.body)
  assertAttributesSize(asked.attributes)
  const header = request.headers['idempotency-key']
  const key = typeof header === 'string' ? hash(`${caller.subject}\0${header}`) : undefined
  const id = idOf(asked, key)
  const labels = (asked.labels ?? {}) as Record<string, string> // just checked
  if (!caller.canCreate({ id, owner: caller.subject, labels })) throw new SluiceError('forbidden')
  if (asked.exclusive === true && caller.via === 'anonymous')
    throw new SluiceError('forbidden', { message: 'A session for one writer needs a credential.' })
  const session = await backend.kernel.directory.open(id).catch((error: unknown) => {
    throw hideDeletion(caller, error, 'session_exists')
  })
  // A repeated request gets what the first one has made.
  if (session.head === undefined) backend.kernel.stored.assertRoom(caller.subject)
  const info: Partial<SessionInfo> = {
    ...createdBy(caller),
    labels,
    attributes: (asked.attributes ?? {}) as JsonObject, // read from JSON
    ...omitUndefined({ context: asked.context, foreign: foreignIdOf(asked), key }),
    ...(asked.exclusive === true ? { writer: subjectWriter(caller.subject) } : {}),
  }
  const created = await session.write((writer) => writer.create(info))
  if (created !== undefined) return { session, isNew: true }
  const known = session.head === undefined ? undefined : toInfo(session.head.info)
  const isRepeated = key !== undefined && known?.key === key
  if (isRepeated && caller.can('subscribe', targetOf(session))) return { session, isNew: false }
  throw new SluiceError('session_exists')
}

export function assertAttributesSize(attributes: object = {}): void {
  if (JSON.stringify(attributes).length > maxAttributesBytes)
    throw new SluiceError('body_too_large', { message: 'The attributes are larger than 16 KiB.' })
}

function idOf(asked: { id?: string; foreign?: string; agent?: string }, key: string | undefined): string {
  if (asked.id !== undefined) return asked.id
  if (asked.foreign !== undefined) return toSessionId(asked.agent ?? '', asked.foreign)
  return `sess_${key === undefined ? randomBytes(16).toString('hex') : key.slice(0, 32)}`
}

/** A foreign id that is already the id of the session says nothing more. */
function foreignIdOf({ foreign }: { foreign?: string }): string | undefined {
  return foreign === undefined || isSessionId(foreign) ? undefined : foreign
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function resourceOf(session: Session): ReturnType<typeof toResource> {
  if (session.head === undefined) throw new SluiceError('unknown_session')
  return toResource(session.head)
}
