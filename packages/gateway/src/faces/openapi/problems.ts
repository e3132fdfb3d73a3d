import { type ErrorCode, errorTable } from '@sluice/protocol'
import type { Response, Schema } from './model.ts'

const codes = Object.keys(errorTable)

/** The body of every error (RFC 9457). Details of the code stand beside these fields. */
export const problemSchema: Schema = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail', 'retryable'],
  properties: {
    type: { type: 'string', description: 'The code as a URN.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: codes },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
  },
}

/** What any request may meet. */
export const anyRequest = [
  'bad_request',
  'unauthenticated',
  'token_expired',
  'forbidden',
  'origin_refused',
  'request_timeout',
  'rate_limited',
  'too_many_connections',
  'headers_too_large',
  'internal',
  'closed',
  'issuer_unreachable',
] as const satisfies readonly ErrorCode[]

/** What a request about one session may meet besides. */
export const anySession = ['unknown_session', 'session_deleted'] as const satisfies readonly ErrorCode[]

/** What a request with a body may meet besides. */
export const anyBody = ['body_too_large', 'unsupported_media_type'] as const satisfies readonly ErrorCode[]

/** What a request that stores something may meet besides. */
export const anyWrite = [
  'overloaded',
  'storage_full',
  'storage_failed',
] as const satisfies readonly ErrorCode[]

/** With these statuses comes the time after which to try again. */
const WAITING: readonly number[] = [429, 503, 507]

/** The responses for these errors, one for each status, that tell the codes apart. */
export function toProblems(...given: readonly ErrorCode[]): Readonly<Record<string, Response>> {
  const statuses = new Set(given.map((code) => errorTable[code].status).toSorted((one, other) => one - other))
  return Object.fromEntries(
    [...statuses].map((status) => [
      String(status),
      toProblem([...new Set(given)].filter((code) => errorTable[code].status === status)),
    ]),
  )
}

function toProblem(found: readonly ErrorCode[]): Response {
  return {
    description: found.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
    headers: {
      'Sluice-Request-Id': { $ref: '#/components/headers/Sluice-Request-Id' },
      ...(found.some((code) => WAITING.includes(errorTable[code].status))
        ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }
        : {}),
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }],
          properties: { code: { enum: found } },
        },
      },
    },
  }
}
