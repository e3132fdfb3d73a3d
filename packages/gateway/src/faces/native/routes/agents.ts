import { type AgentResource, type JsonObject, SluiceError } from '@sluice/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { mayRun, seesAgent } from '../../../features/runs/agent-access.ts'
import type { HostedAgent } from '../../../features/runs/hosted-agent.ts'
import type { AskedRun } from '../../../features/runs/run-request.ts'
import type { Backend } from '../../backend.ts'
import { createBodyReader } from '../../http/body.ts'
import { fullCallerOf, holderOf } from '../../http/request-caller.ts'
import { assertMessageSize } from './inputs.ts'
import { assertAttributesSize, labelsSchema, resourceOf } from './sessions.ts'

const short = Type.String({ minLength: 1, maxLength: 512 })

const readRun = createBodyReader(
  Type.Object(
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
      extensions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      context: Type.Optional(short),
      labels: Type.Optional(labelsSchema),
      attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      session: Type.Optional(Type.String({ pattern: '^sess_[A-Za-z0-9]{1,64}$' })),
    },
    { additionalProperties: false },
  ),
)

export function addAgentRoutes(app: FastifyInstance, backend: Backend): void {
  const { agents } = backend

  app.get('/v1/agents', async (request) => {
    const caller = fullCallerOf(request)
    const seen = [...agents].filter(([name, hosted]) => seesAgent(caller, name, hosted))
    return { agents: await Promise.all(seen.map(([name, hosted]) => show(backend, caller, name, hosted))) }
  })

  app.get('/v1/agents/:agent', async (request) => {
    const caller = fullCallerOf(request)
    const name = agentParam(request)
    const hosted = agents.get(name)
    if (hosted === undefined || !seesAgent(caller, name, hosted)) throw new SluiceError('unknown_agent')
    return show(backend, caller, name, hosted)
  })

  app.post('/v1/agents/:agent/runs', async (request, reply) => {
    const caller = holderOf(request)
    // The prompt is an event of its session.
    assertMessageSize(backend, request.body)
    const asked = readRun(request.body)
    assertAttributesSize(asked.attributes)
    const key = request.headers['idempotency-key']
    const { session, isNew } = await backend.runs.begin(
      caller,
      agentParam(request),
      asked as AskedRun & JsonObject, // just checked, and read from JSON
      typeof key === 'string' ? key : undefined,
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

async function show(
  backend: Backend,
  caller: Caller,
  name: string,
  hosted: HostedAgent,
): Promise<AgentResource> {
  const { agent, title, workingDirs } = hosted
  const { isInstalled, version, hint } = await backend.runs.look(hosted)
  const tellsPlaces = workingDirs.length > 0 && mayRun(caller, name, hosted)
  return {
    name,
    kind: agent.kind,
    title,
    capabilities: agent.capabilities,
    installed: isInstalled,
    ...(version === undefined ? {} : { version }),
    ...(hint === undefined ? {} : { hint }),
    ...(tellsPlaces ? { workingDirs } : {}),
    ...backend.runs.count(name),
  }
}
