import { SluiceError } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import type { FastifyInstance } from 'fastify'
import { configSchema } from '../../../config/published-schema.ts'
import type { Backend } from '../../backend.ts'
import { callerOf } from '../../http/request-caller.ts'
import { openRoute } from '../../http/route-access.ts'
import { createOpenApi } from '../../openapi/create-openapi.ts'

export function addOperationRoutes(app: FastifyInstance, backend: Backend, version: string): void {
  // What comes here asks for no upgrade: the others never become requests.
  app.get('/v1/ws', async (_request, reply) => {
    reply.header('upgrade', 'websocket')
    throw new SluiceError('upgrade_required')
  })

  app.get('/v1/dialects', async (request) => {
    callerOf(request)
    return { dialects: dialects.map(({ id, title }) => ({ id, title })) }
  })

  app.get('/healthz', openRoute, async () => ({ status: 'ok' }))

  app.get('/readyz', openRoute, async (_request, reply) => {
    const health = backend.kernel.log.health()
    const reason = backend.kernel.isDraining ? 'draining' : health.writable ? undefined : health.code
    if (reason === undefined) return { status: 'ready' }
    return reply.code(503).send({ status: 'unready', reason })
  })

  app.get('/metrics', async (request, reply) => {
    // Counts of all sessions say something of sessions that a caller may not see.
    const caller = callerOf(request)
    if (caller.via !== 'anonymous' && !caller.canSome('admin')) throw new SluiceError('forbidden')
    backend.kernel.deliveries.flush()
    return reply.type(backend.kernel.metrics.contentType).send(await backend.kernel.metrics.render())
  })

  const openApi = JSON.stringify(createOpenApi(version))
  app.get('/openapi.json', openRoute, async (_request, reply) => reply.type('application/json').send(openApi))

  app.get('/schemas', openRoute, async () => ({
    schemas: [
      ...dialects.flatMap(({ id, schemas }) =>
        Object.keys(schemas).map((name) => `/schemas/${id}/${name}.json`),
      ),
      '/schemas/config.json',
    ],
  }))

  app.get('/schemas/config.json', openRoute, async (_request, reply) =>
    reply.type(schemaMediaType).send(JSON.stringify(configSchema)),
  )

  app.get('/schemas/:dialect/:name', openRoute, async (request, reply) => {
    const { dialect = '', name = '' } = request.params as {
      readonly dialect?: string
      readonly name?: string
    } // the route has both
    const schemas = dialects.find(({ id }) => id === dialect)?.schemas ?? {}
    const key = name.replace(/\.json$/, '')
    const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined
    if (schema === undefined) throw new SluiceError('unknown_schema')
    return reply.type(schemaMediaType).send(JSON.stringify(schema))
  })
}

const schemaMediaType = 'application/schema+json'
