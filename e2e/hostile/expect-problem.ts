import { type ErrorCode, errorTable } from '@sluice/protocol'
import { expect } from 'vitest'
import type { Answered } from './http-request.ts'

/** The fields of a problem, for further assertions. */
export type ProblemFields = Readonly<Record<string, unknown>>

/**
 * Asserts that a response is exactly the problem of this code: status, media type, fields, and any
 * Retry-After.
 */
export function expectProblem(
  answer: Pick<Answered, 'status' | 'headers' | 'text'>,
  code: ErrorCode,
): ProblemFields {
  const { status, retryable, message } = errorTable[code]
  const problem = JSON.parse(answer.text) as ProblemFields // an object, or the next line fails
  expect({ ...problem, status: answer.status }).toMatchObject({
    type: `urn:sluice:error:${code}`,
    title: message,
    status,
    code,
    retryable,
  })
  expect(problem['status']).toBe(status)
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json\b/)
  const hasRetryAfter = status === 429 || status === 503 || status === 507
  if (hasRetryAfter) expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/)
  else expect(answer.headers['retry-after']).toBeUndefined()
  return problem
}

/** Parses a response that was received over a bare socket. */
export function parseAnswer(text: string): Pick<Answered, 'status' | 'headers' | 'text'> {
  const [, head = '', body = ''] = /^(.*?)\r\n\r\n(.*)$/s.exec(text) ?? []
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.toLowerCase(), value.join(':').trim()] as const
    }),
  )
  return { status: Number(first.split(' ')[1]), headers, text: body }
}
