import { createHash, randomBytes } from 'node:crypto'
import { type JsonObject, SluiceError, toSnapshot } from '@sluice/protocol'
import { isSessionId, toSessionId } from '@sluice/protocol/dialects'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { seenBy } from '../../../kernel/sessions/list-watch.ts'
import type { Session } from '../../../kernel/sessions/session.ts'
import {
  createdBy,
  type SessionInfo,
  subjectWriter,
  toInfo,
  toResource,
} from '../../../kernel/sessions/session-info.ts'
import { listSessions, type SessionQuery } from '../../../kernel/sessions/session-list.ts'
import { targetOf } from '../../../kernel/sessions/session-target.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { negotiate } from '../../http/media-type.ts'
import { queryFlag, queryNumber, queryValue, queryValues, sessionParam } from '../../http/parameters.ts'
import { callerOf, fullCallerOf } from '../../http/request-caller.ts'
import { streamSessions } from '../stream-sessions.ts'

const short = Type.String({ minLength: 1, maxLength: 512 })

export const labelsSchema = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  Type.String({ maxLength: 256 }),
  { maxProperties: 32, additionalProperties: false },
)

const readCreation = createBodyReader(
  Type.Object(
    {
      id: Type.Optional(Type.String({ pattern: '^sess_[A-Za-z0-9]{1,64}$' })),
      foreign: Type.Optional(short),
      agent: Type.Optional(short),
      context: Type.Optional(short),
      labels: Type.Optional(labelsSchema),
      attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      exclusive: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
)

const readEnding = createBodyReader(
  Type.Object(
    {
      outcome: Type.Optional(Type.Enum(['completed', 'failed', 'cancelled', 'rejected'])),
      error: Type.Optional(
        Type.Object(
          {
            category: Type.Optional(Type.Enum(['transient', 'permanent', 'requires_user', 'unknown'])),
            code: Type.Optional(short),
            message: Type.Optional(Type.String({ maxLength: 4096 })),
            recoverable: Type.Optional(Type.Boolean()),
            hint: Type.Optional(Type.String({ maxLength: 4096 })),
          },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
)

const maxAttributesBytes = 16 * 1024
/** How many sessions a page has. */
export const defaultLimit = 50
const maxLimit = 200

export function addSessionRoutes(app: FastifyInstance, backend: Backend): void {
  app.post('/v1/sessions', async (request, reply) => {
    const { session, isNew } = await createOne(backend, request)
    return reply
      .code(isNew ? 201 : 200)
      .header('location', `/v1/sessions/${session.id}`)
      .send(resourceOf(session))
  })

  app.get('/v1/sessions', async (request, reply) => {
    const isVisible = seenBy(fullCallerOf(request))
    const query = readQuery(request)
    if (!queryFlag(request, 'live', false)) return listSessions(backend.kernel.log, query, isVisible)
    negotiate(request.headers.accept, ['sse'])
    await streamSessions(backend, request, reply, query, isVisible)
    return reply
  })

  app.get('/v1/sessions/:id', async (request) => {
    const session = await backend.kernel.reach(fullCallerOf(request), sessionParam(request).id, 'subscribe')
    const at = queryValue(request, 'at')
    // Taken once: the resource, the state and the cursor are of the same entry.
    const resource = resourceOf(session)
    const seq = at === undefined ? resource.seq : Number(/^\d{1,15}$/.exec(at)?.[0] ?? Number.NaN)
    if (Number.isNaN(seq) || seq > resource.seq) throw new SluiceError('unknown_entry')
    return { session: resource, cursor: String(seq), snapshot: toSnapshot(await session.stateAt(seq)) }
  })

  app.delete('/v1/sessions/:id', async (request, reply) => {
    const session = await backend.kernel.reach(callerOf(request), sessionParam(request).id, 'admin')
    await backend.kernel.directory.delete(session.id)
    return reply.code(204).send()
  })

  app.post('/v1/sessions/:id/end', async (request) => {
    const caller = callerOf(request)
    const { outcome = 'completed', error } = readEnding(request.body)
    const session = await reachToEnd(backend, caller, sessionParam(request).id)
    const seq = await session.write((writer) =>
      writer.make(
        () => [
          {
            kind: 'session-end',
            outcome,
            ...(error === undefined ? {} : { error }),
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

/** Ending a session that belongs to another writer is up to an administrator. */
async function reachToEnd(backend: Backend, caller: Caller, id: string): Promise<Session> {
  try {
    return await backend.kernel.reach(caller, id, 'publish')
  } catch (error) {
    const isReserved = error instanceof SluiceError && error.code === 'session_reserved'
    if (!isReserved || !caller.canSome('admin')) throw error
    return backend.kernel.reach(caller, id, 'admin')
  }
}

async function createOne(
  backend: Backend,
  request: FastifyRequest,
): Promise<{ readonly session: Session; readonly isNew: boolean }> {
  const caller = callerOf(request)
  const asked = readCreation(request.body)
  assertAttributesSize(asked.attributes)
  const header = request.headers['idempotency-key']
  const key = typeof header === 'string' ? hash(`${caller.subject}\0${header}`) : undefined
  const id = idOf(asked, key)
  const labels = (asked.labels ?? {}) as Record<string, string> // just checked
  if (!caller.canCreate({ id, owner: caller.subject, labels })) throw new SluiceError('forbidden')
  if (asked.exclusive === true && caller.via === 'anonymous')
    throw new SluiceError('forbidden', { message: 'A session for one writer needs a credential.' })
  const session = await backend.kernel.directory.open(id)
  const info: Partial<SessionInfo> = {
    ...createdBy(caller),
    labels,
    attributes: (asked.attributes ?? {}) as JsonObject, // read from JSON
    ...(asked.context === undefined ? {} : { context: asked.context }),
    ...(asked.foreign === undefined || isSessionId(asked.foreign) ? {} : { foreign: asked.foreign }),
    ...(key === undefined ? {} : { key }),
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

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function resourceOf(session: Session): ReturnType<typeof toResource> {
  if (session.head === undefined) throw new SluiceError('unknown_session')
  return toResource(session.head)
}

function readQuery(request: FastifyRequest): SessionQuery {
  const page = queryValue(request, 'page')
  const state = queryValue(request, 'state')
  const context = queryValue(request, 'context')
  const text = queryValue(request, 'q')
  if (state !== undefined && !['open', 'waiting', 'ended'].includes(state))
    throw new SluiceError('bad_request', { message: 'state is open, waiting or ended.' })
  const labels = queryValues(request, 'label').map((label) => {
    const [, name, value] = /^([^:]+):(.*)$/s.exec(label) ?? []
    if (name === undefined || value === undefined)
      throw new SluiceError('bad_request', { message: 'label is of the form name:value.' })
    return [name, value] as const
  })
  return {
    limit: queryNumber(request, 'limit', defaultLimit, maxLimit),
    labels,
    ...(page === undefined ? {} : { page }),
    ...(state === undefined ? {} : { state }),
    ...(context === undefined ? {} : { context }),
    ...(text === undefined ? {} : { text }),
  }
}
