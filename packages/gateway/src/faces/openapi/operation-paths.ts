import { emptyAnswer, toJsonContent } from './answers.ts'
import type { Parameter, Paths } from './model.ts'
import { referHeaders } from './parameters.ts'
import { anyRequest, toProblems } from './problems.ts'

const shared = { tags: ['operations'], security: [] }
const part = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})
const anyObject = { type: 'object' }

/** docs/http-api.md, Operations. */
const schemaAnswer = {
  description: 'JSON Schema 2020-12.',
  headers: referHeaders(),
  content: { 'application/schema+json': { schema: anyObject } },
}

export const operationPaths: Paths = {
  '/healthz': {
    get: {
      ...shared,
      operationId: 'getHealth',
      summary: 'Whether the process serves',
      responses: { 200: emptyAnswer('It serves.') },
    },
  },
  '/readyz': {
    get: {
      ...shared,
      operationId: 'getReadiness',
      summary: 'Whether events are taken',
      responses: {
        200: emptyAnswer('They are.'),
        503: emptyAnswer('The gateway drains, or the store takes no writes.'),
      },
    },
  },
  '/metrics': {
    get: {
      ...shared,
      security: [{ bearer: [] }, {}],
      operationId: 'getMetrics',
      summary: 'What the gateway counts',
      responses: {
        200: {
          description: 'The text format of Prometheus.',
          headers: referHeaders(),
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        ...toProblems(...anyRequest),
      },
    },
  },
  '/openapi.json': {
    get: {
      ...shared,
      operationId: 'getOpenApi',
      summary: 'This document',
      responses: {
        200: { description: 'OpenAPI 3.1.', headers: referHeaders(), content: toJsonContent(anyObject) },
      },
    },
  },
  '/schemas': {
    get: {
      ...shared,
      operationId: 'listSchemas',
      summary: 'The JSON Schemas that are served',
      responses: {
        200: { description: 'Their addresses.', headers: referHeaders(), content: toJsonContent(anyObject) },
      },
    },
  },
  '/schemas/config.json': {
    get: {
      ...shared,
      operationId: 'getConfigSchema',
      summary: 'The JSON Schema of the configuration file',
      responses: { 200: schemaAnswer },
    },
  },
  '/schemas/{dialect}/{name}.json': {
    get: {
      ...shared,
      operationId: 'getSchema',
      summary: 'One JSON Schema',
      parameters: [part('dialect', 'The dialect.'), part('name', 'The name of the schema.')],
      responses: { 200: schemaAnswer, ...toProblems('unknown_schema') },
    },
  },
}
