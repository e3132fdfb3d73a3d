import { type FastifySchema, fastify, type HTTPMethods } from 'fastify'
import { nameSchemas } from './name-schemas.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** A missing body counts as an empty object. */
    readonly isBodyOptional?: true
    /** The path in the document, if the route also matches paths that are not part of the interface. */
    readonly documentedUrl?: string
  }
}

/** A route as its file declares it. */
export interface DescribedRoute {
  readonly method: HTTPMethods | HTTPMethods[]
  readonly url: string
  readonly schema: FastifySchema
}

/** The part of a document that the plugin gets wrong: it marks every body as required. */
interface MadeDocument {
  readonly paths: Readonly<
    Record<string, { post?: { operationId: string; requestBody?: { required: boolean } } }>
  >
}

const base = {
  openapi: '3.1.0',
  info: {
    title: 'Sluice',
    description: 'A gateway for the event streams of agents: any agent in, any client out.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  tags: [
    { name: 'sessions', description: 'Sessions and their entries.' },
    { name: 'publishing', description: 'Events in.' },
    { name: 'reading', description: 'Events out.' },
    { name: 'inputs', description: 'What flows back to the agent.' },
    { name: 'agents', description: 'Agents that the gateway runs.' },
    { name: 'access', description: 'Tickets and logins.' },
    { name: 'aaep', description: 'Assistive clients.' },
    { name: 'operations', description: 'Health, metrics and schemas.' },
  ],
  // The empty requirement: on loopback, reading and publishing may need no credential.
  security: [{ bearer: [] }, {}],
  components: {
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'An API key, a JWT, or the token of POST /v1/login.',
      },
      ticket: {
        type: 'apiKey' as const,
        in: 'query',
        name: 'ticket',
        description: 'A ticket of POST /v1/tickets.',
      },
    },
  },
}

/**
 * The OpenAPI 3.1 document of these routes. A second Fastify instance that never listens makes it, so that a
 * gateway loads the plugin (25 ms) only when a client reads the document.
 */
export async function createOpenApi(routes: readonly DescribedRoute[], version: string): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = fastify()
  await app.register(swagger, { openapi: { ...base, info: { ...base.info, version } } })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  const schemas = new Map<string, object>()
  const optionalBodies = new Set<string | undefined>()
  for (const { method, url, schema } of routes) {
    const { documentedUrl = url, isBodyOptional, ...rest } = schema
    if (isBodyOptional) optionalBodies.add(schema.operationId)
    app.route({ method, url: documentedUrl, schema: nameSchemas(rest, schemas), handler: () => {} })
  }
  await app.ready()
  const document = app.swagger() as MadeDocument // of the routes above
  for (const { post } of Object.values(document.paths))
    if (post?.requestBody !== undefined && optionalBodies.has(post.operationId))
      post.requestBody.required = false
  return {
    ...document,
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    components: { ...base.components, schemas: Object.fromEntries(schemas) },
  }
}
