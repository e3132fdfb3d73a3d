import { type ErrorCode, errorTable, SluiceError } from '@sluice/protocol'
import Type from 'typebox'
import { problemMediaType, retryAfterOf } from '../http/problem.ts'
import { answer } from './answers.ts'

/** The body of every error (RFC 9457). The details of a code are additional fields. */
const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'The code as a URN.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String({ enum: Object.keys(errorTable) }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
  },
  { $id: 'Problem' },
)

/** The errors of any request. */
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

/** Additional errors of a request about one session. */
export const anySession = ['unknown_session', 'session_deleted'] as const satisfies readonly ErrorCode[]

/** Additional errors of a request with a body. */
export const anyBody = [
  'body_too_large',
  'body_incomplete',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[]

/** Additional errors of a request that stores something. */
export const anyWrite = [
  'overloaded',
  'memory_full',
  'quota_exceeded',
  'storage_full',
  'storage_failed',
] as const satisfies readonly ErrorCode[]

/** The answers for these errors, one per status. */
export function toProblems(...codes: readonly ErrorCode[]): Readonly<Record<string, object>> {
  const distinct = [...new Set(codes)]
  const statuses = new Set(distinct.map((code) => errorTable[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      toProblem(distinct.filter((code) => errorTable[code].status === status)),
    ]),
  )
}

function toProblem(codes: readonly ErrorCode[]): object {
  const isRetriedLater = codes.some((code) => retryAfterOf(new SluiceError(code)) !== undefined)
  return answer(
    codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
    {
      [problemMediaType]: Type.Unsafe({ allOf: [problemSchema], properties: { code: { enum: codes } } }),
    },
    ...(isRetriedLater ? (['Retry-After'] as const) : []),
  )
}
