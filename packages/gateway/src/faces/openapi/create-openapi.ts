import { aaepPaths } from './aaep-paths.ts'
import { accessPaths } from './access-paths.ts'
import { agentsPaths } from './agents-paths.ts'
import { eventPaths } from './event-paths.ts'
import { inputPaths } from './input-paths.ts'
import type { OpenApiDocument, Paths } from './model.ts'
import { operationPaths } from './operation-paths.ts'
import { headers, parameters } from './parameters.ts'
import { problemSchema } from './problems.ts'
import { bodySchemas } from './schemas.ts'
import { sessionPaths } from './session-paths.ts'

const paths: Paths = {
  ...sessionPaths,
  ...eventPaths,
  ...inputPaths,
  ...agentsPaths,
  ...accessPaths,
  ...aaepPaths,
  ...operationPaths,
}

/** The HTTP interface of docs/http-api.md and docs/aaep.md as an OpenAPI 3.1 document; `version` is that of the gateway. */
export function createOpenApi(version: string): OpenApiDocument {
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Sluice',
      version,
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
    // The empty requirement: on loopback reading and publishing may need no credential.
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      schemas: { Problem: problemSchema, ...bodySchemas },
      parameters,
      headers,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, a JWT, or the token of POST /v1/login.',
        },
        ticket: { type: 'apiKey', in: 'query', name: 'ticket', description: 'A ticket of POST /v1/tickets.' },
      },
    },
  }
}

/** Every route of the document, such as `GET /v1/sessions/{id}`. */
export const documentedRoutes: readonly string[] = Object.entries(paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
)

/** The address of a route of Fastify as the document writes it: `/a/:id` is `/a/{id}`. */
export const toDocumentedPath = (pattern: string): string => pattern.replace(/:(\w+)(\([^)]*\))?/g, '{$1}')
