import { type ErrorCode, errorTable, SluiceError } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { retryAfterOf, toProblem, toSluiceError } from './problem.ts'

test.each(Object.keys(errorTable) as ErrorCode[])(
  'toProblem() tells %s with its row of the table',
  (code) => {
    const problem = toProblem(new SluiceError(code, { message: 'What happened.', details: { limit: 3 } }))
    const { status, retryable, message } = errorTable[code]
    expect(problem).toEqual({
      type: `urn:sluice:error:${code}`,
      title: message,
      status,
      code,
      detail: 'What happened.',
      retryable,
      limit: 3,
    })
  },
)

test('details never replace what the table says', () => {
  const problem = toProblem(new SluiceError('gap', { details: { status: 200, code: 'other', type: 'x' } }))
  expect(problem).toMatchObject({ status: 410, code: 'gap', type: 'urn:sluice:error:gap' })
})

test('what nobody foresaw is internal, and its message stays inside', () => {
  const problem = toProblem(toSluiceError(new Error('the password is hunter2')))
  expect(problem).toMatchObject({ status: 500, code: 'internal' })
  expect(JSON.stringify(problem)).not.toContain('hunter2')
  expect(toSluiceError('a text').code).toBe('internal')
})

test('errors of the server become ours', () => {
  const thrown = (code: string, statusCode: number) =>
    toSluiceError(Object.assign(new Error('x'), { code, statusCode })).code
  expect(thrown('FST_ERR_CTP_BODY_TOO_LARGE', 413)).toBe('body_too_large')
  expect(thrown('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415)).toBe('unsupported_media_type')
  expect(thrown('FST_ERR_SOMETHING', 400)).toBe('bad_request')
  expect(thrown('FST_ERR_SOMETHING', 503)).toBe('internal')
})

test('who is asked for patience is told how long', () => {
  for (const code of ['rate_limited', 'too_many_connections', 'overloaded', 'storage_full'] as const)
    expect(retryAfterOf(new SluiceError(code))).toBe('1')
  expect(retryAfterOf(new SluiceError('rate_limited', { details: { retryAfterSeconds: 7 } }))).toBe('7')
  expect(retryAfterOf(new SluiceError('gap'))).toBeUndefined()
})
