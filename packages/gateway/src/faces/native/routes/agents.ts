import { type AgentResource, type JsonObject, omitUndefined, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import Type from 'typebox'
import { type Asking, mayRun, seesAgent } from '../../../features/runs/agent-access.ts'
import type { AskedRun } from '../../../features/runs/run-request.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { fullCallerOf, holderOf } from '../../http/request-caller.ts'
import { jsonAnswer } from '../../openapi/answers.ts'
import { creationHeaders } from '../../openapi/parameters.ts'
import { anyBody, anyRequest, anyWrite, toProblems } from '../../openapi/problems.ts'
import {
  countSchema,
  labelsSchema,
  nameSchema,
  objectSchema,
  sessionIdSchema,
  sessionSchema,
} from '../schemas.ts'
import { assertAttributesSize, resourceOf } from './create-session.ts'
import { assertMessageSize } from './inputs.ts'

const tags = ['agents']
const params = Type.Object({ agent: Type.String({ description: 'The name of an agent.' }) })

const agentSchema = Type.Object(
  {
    name: Type.String(),
    kind: Type.String(),
    title: Type.String(),
    capabilities: Type.Array(Type.String()),
    installed: Type.Boolean(),
    version: Type.Optional(Type.String()),
    hint: Type.Optional(Type.String()),
    workingDirs: Type.Optional(Type.Array(Type.String())),
    active: countSchema,
    queued: countSchema,
  },
  { $id: 'Agent' },
)

const agentListSchema = Type.Object({ agents: Type.Array(agentSchema) }, { $id: 'AgentList' })

const runSchema = Type.Object(
  {
    prompt: Type.String(),
    workingDir: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
    env: Type.Optional(
      Type.Record(Type.String({ pattern: '^[^=\\0]{1,256}$' }), Type.String({ maxLength: 32_768 }), {
        maxProperties: 64,
        additionalProperties: false,
      }),
    ),
    extensions: Type.Optional(objectSchema),
    context: Type.Optional(nameSchema),
    labels: Type.Optional(labelsSchema),
    attributes: Type.Optional(objectSchema),
    session: Type.Optional(sessionIdSchema),
  },
  { $id: 'RunRequest', additionalProperties: false },
)

const readRun = createBodyReader(runSchema)

const listAgentsOperation: FastifySchema = {
  operationId: 'listAgents',
  tags,
  summary: 'The agents that the gateway runs',
  response: {
    200: jsonAnswer('Those that the credential reaches.', agentListSchema),
    ...toProblems(...anyRequest),
  },
}

const getAgentOperation: FastifySchema = {
  operationId: 'getAgent',
  tags,
  summary: 'One agent',
  params,
  response: { 200: jsonAnswer('The agent.', agentSchema), ...toProblems(...anyRequest, 'unknown_agent') },
}

const startRunOperation: FastifySchema = {
  operationId: 'startRun',
  tags,
  summary: 'Has an agent run',
  params,
  headers: creationHeaders,
  body: runSchema,
  response: {
    200: jsonAnswer('The session that a request with the same key has made.', sessionSchema, 'Location'),
    201: jsonAnswer('The session of the run.', sessionSchema, 'Location'),
    ...toProblems(
      ...anyRequest,
      ...anyBody,
      ...anyWrite,
      'event_too_large',
      'unknown_agent',
      'unsupported_capability',
      'invalid_run',
      'run_not_permitted',
      'run_failed',
      'agent_busy',
      'session_exists',
      'session_deleted',
    ),
  },
}

export function addAgentRoutes(app: FastifyInstance, backend: Backend): void {
  const { agents } = backend

  app.get('/v1/agents', { schema: listAgentsOperation }, async (request) => {
    const caller = fullCallerOf(request)
    const seen = [...agents].map(([name, hosted]) => ({ caller, name, hosted })).filter(seesAgent)
    return { agents: await Promise.all(seen.map((asking) => show(backend, asking))) }
  })

  app.get('/v1/agents/:agent', { schema: getAgentOperation }, async (request) => {
    const caller = fullCallerOf(request)
    const name = agentParam(request)
    const hosted = agents.get(name)
    const asking = hosted === undefined ? undefined : { caller, name, hosted }
    if (asking === undefined || !seesAgent(asking)) throw new SluiceError('unknown_agent')
    return show(backend, asking)
  })

  app.post('/v1/agents/:agent/runs', { schema: startRunOperation }, async (request, reply) => {
    const caller = holderOf(request)
    // The prompt becomes an event of its session.
    assertMessageSize(backend, request.body)
    const asked = readRun(request.body)
    assertAttributesSize(asked.attributes)
    const key = request.headers['idempotency-key']
    const { session, isNew } = await backend.runs.begin(
      caller,
      { name: agentParam(request), key: typeof key === 'string' ? key : undefined },
      asked as AskedRun & JsonObject, // just checked, and read from JSON
    )
    return reply
      .code(isNew ? 201 : 200)
      .header('location', `/v1/sessions/${session.id}`)
      .send(resourceOf(session))
  })
}

function agentParam(request: FastifyRequest): string {
  const { agent = '' } = request.params as { readonly agent?: string } // the route has this parameter
  return agent
}

async function show(backend: Backend, asking: Asking): Promise<AgentResource> {
  const { name, hosted } = asking
  const { agent, title, workingDirs } = hosted
  const { isInstalled, version, hint } = await backend.runs.look(hosted)
  const tellsPlaces = workingDirs.length > 0 && mayRun(asking)
  return {
    name,
    kind: agent.kind,
    title,
    capabilities: agent.capabilities,
    installed: isInstalled,
    ...omitUndefined({ version, hint }),
    ...(tellsPlaces ? { workingDirs } : {}),
    ...backend.runs.count(name),
  }
}
