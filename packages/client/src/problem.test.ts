import { isRetryable, retryAfterOf } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { parseRetryAfter, readProblem, toUnreachable } from './problem.ts'

const problem = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return readProblem(new Response(text, { status, headers }), 0)
}

describe('readProblem()', () => {
  test('gives the error that the gateway names, with its details', async () => {
    const body = { type: 'about:blank', title: 'x', detail: 'Next is 7.', code: 'producer_gap', expected: 7 }
    const error = await problem(409, body)
    expect(error).toMatchObject({
      code: 'producer_gap',
      message: 'Next is 7.',
      details: { code: 'producer_gap', expected: 7, status: 409 },
    })
    expect(error.details).not.toHaveProperty('title')
  })

  test.each([
    [401, 'unauthenticated', false],
    [403, 'forbidden', false],
    [404, 'unknown_route', false],
    [418, 'bad_request', false],
    [429, 'rate_limited', true],
    [502, 'internal', true],
    [503, 'internal', true],
  ])('judges %d by its status when it is not a gateway that answers', async (status, code, retryable) => {
    const error = await problem(status, '<html>proxy</html>')
    expect(error.code).toBe(code)
    expect(isRetryable(error)).toBe(retryable)
  })

  test('judges a code that it does not know by its status', async () => {
    expect(await problem(403, { code: 'of_the_future' })).toMatchObject({
      code: 'forbidden',
      details: { code: 'of_the_future' },
    })
    expect((await problem(400, { code: 'toString' })).code).toBe('bad_request')
  })

  test('tells how long to wait', async () => {
    const error = await problem(503, { code: 'overloaded' }, { 'retry-after': '3' })
    expect(retryAfterOf(error)).toBe(3_000)
    expect(retryAfterOf(await problem(503, {}))).toBeUndefined()
  })
})

test.each([
  ['0', 0],
  [' 120 ', 120_000],
  ['Thu, 01 Jan 1970 00:00:20 GMT', 10_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['999999', 3_600_000],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('parseRetryAfter() reads %j as %s', (value, expected) => {
  expect(parseRetryAfter(value, 10_000)).toBe(expected)
})

test('toUnreachable() keeps an error of ours and wraps any other', async () => {
  const ours = await problem(403, {})
  expect(toUnreachable(ours)).toBe(ours)
  const cause = new TypeError('fetch failed')
  expect(toUnreachable(cause)).toMatchObject({ code: 'gateway_unreachable', cause })
})
