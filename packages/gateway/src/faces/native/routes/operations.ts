import { SluiceError } from '@sluice/protocol'
import { dialects } from '@sluice/protocol/dialects'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import { configSchema } from '../../../config/published-schema.ts'
import type { Backend } from '../../backend.ts'
import { callerOf } from '../../http/request-caller.ts'
import { openRoute } from '../../http/route-access.ts'
import { answer, emptyAnswer, jsonAnswer, upgradeAnswer } from '../../openapi/answers.ts'
import { anyRequest, toProblems } from '../../openapi/problems.ts'

const shared = { tags: ['operations'], security: [] }
const anyObject = Type.Unsafe<object>({ type: 'object' })
const schemaMediaType = 'application/schema+json'
const schemaAnswer = answer('JSON Schema 2020-12.', { [schemaMediaType]: anyObject })

const openWebSocketOperation: FastifySchema = {
  operationId: 'openWebSocket',
  tags: ['reading', 'publishing', 'inputs'],
  summary: 'One connection for many sessions, subprotocol sluice.v1',
  response: { 101: upgradeAnswer, ...toProblems(...anyRequest, 'upgrade_required') },
}

const dialectListSchema = Type.Object(
  { dialects: Type.Array(Type.Object({ id: Type.String(), title: Type.String() })) },
  { $id: 'DialectList' },
)

const listDialectsOperation: FastifySchema = {
  operationId: 'listDialects',
  tags: ['reading'],
  summary: 'The dialects that the gateway speaks',
  response: { 200: jsonAnswer('Their ids and titles.', dialectListSchema), ...toProblems(...anyRequest) },
}

const getHealthOperation: FastifySchema = {
  ...shared,
  operationId: 'getHealth',
  summary: 'Whether the process serves',
  response: { 200: emptyAnswer('It serves.') },
}

const getReadinessOperation: FastifySchema = {
  ...shared,
  operationId: 'getReadiness',
  summary: 'Whether events are taken',
  response: {
    200: emptyAnswer('They are.'),
    503: emptyAnswer('The gateway drains, or the store takes no writes.'),
  },
}

const getMetricsOperation: FastifySchema = {
  operationId: 'getMetrics',
  tags: shared.tags,
  summary: 'What the gateway counts',
  security: [{ bearer: [] }, {}],
  response: {
    200: answer('The text format of Prometheus.', { 'text/plain': Type.String() }),
    ...toProblems(...anyRequest),
  },
}

const getOpenApiOperation: FastifySchema = {
  ...shared,
  operationId: 'getOpenApi',
  summary: 'This document',
  response: { 200: jsonAnswer('OpenAPI 3.1.', anyObject) },
}

const listSchemasOperation: FastifySchema = {
  ...shared,
  operationId: 'listSchemas',
  summary: 'The JSON Schemas that are served',
  response: { 200: jsonAnswer('Their addresses.', anyObject) },
}

const getConfigSchemaOperation: FastifySchema = {
  ...shared,
  operationId: 'getConfigSchema',
  summary: 'The JSON Schema of the configuration file',
  response: { 200: schemaAnswer },
}

const getSchemaOperation: FastifySchema = {
  ...shared,
  operationId: 'getSchema',
  summary: 'One JSON Schema',
  documentedUrl: '/schemas/:dialect/:name.json',
  params: Type.Object({
    dialect: Type.String({ description: 'The dialect.' }),
    name: Type.String({ description: 'The name of the schema.' }),
  }),
  response: { 200: schemaAnswer, ...toProblems('unknown_schema') },
}

/** Adds the routes that concern the gateway as a whole. `describe` makes the OpenAPI document. */
export function addOperationRoutes(
  app: FastifyInstance,
  backend: Backend,
  describe: () => Promise<object>,
): void {
  // Only requests without an upgrade arrive here.
  app.get('/v1/ws', { schema: openWebSocketOperation }, async (_request, reply) => {
    reply.header('upgrade', 'websocket')
    throw new SluiceError('upgrade_required')
  })

  app.get('/v1/dialects', { schema: listDialectsOperation }, async (request) => {
    callerOf(request)
    return { dialects: dialects.map(({ id, title }) => ({ id, title })) }
  })

  app.get('/healthz', { ...openRoute, schema: getHealthOperation }, async () => ({ status: 'ok' }))

  app.get('/readyz', { ...openRoute, schema: getReadinessOperation }, async (_request, reply) => {
    const health = backend.kernel.log.health()
    const reason = backend.kernel.isDraining ? 'draining' : health.writable ? undefined : health.code
    if (reason === undefined) return { status: 'ready' }
    return reply.code(503).send({ status: 'unready', reason })
  })

  app.get('/metrics', { schema: getMetricsOperation }, async (request, reply) => {
    // The counts include sessions that the caller may not see.
    const caller = callerOf(request)
    if (caller.via !== 'anonymous' && !caller.canSome('admin')) throw new SluiceError('forbidden')
    backend.kernel.deliveries.flush()
    return reply.type(backend.kernel.metrics.contentType).send(await backend.kernel.metrics.render())
  })

  let openApi: Promise<string> | undefined
  app.get('/openapi.json', { ...openRoute, schema: getOpenApiOperation }, async (_request, reply) => {
    openApi ??= describe().then((document) => JSON.stringify(document))
    return reply.type('application/json').send(await openApi)
  })

  app.get('/schemas', { ...openRoute, schema: listSchemasOperation }, async () => ({
    schemas: [
      ...dialects.flatMap(({ id, schemas }) =>
        Object.keys(schemas).map((name) => `/schemas/${id}/${name}.json`),
      ),
      '/schemas/config.json',
    ],
  }))

  app.get(
    '/schemas/config.json',
    { ...openRoute, schema: getConfigSchemaOperation },
    async (_request, reply) => reply.type(schemaMediaType).send(JSON.stringify(configSchema)),
  )

  app.get('/schemas/:dialect/:name', { ...openRoute, schema: getSchemaOperation }, async (request, reply) => {
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
