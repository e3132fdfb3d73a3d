import { readFileSync } from 'node:fs'
import { type ErrorCode, errorTable } from '@sluice/protocol'
import { aaepMessageChecker } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import type { RejectionCode } from './agreement.ts'
import { toRejected } from './negotiate-answer.ts'
import { rejectionTable, toRejection } from './negotiate-rejection.ts'

const page = readFileSync(new URL('../../../../../docs/aaep.md', import.meta.url), 'utf8')

test('every reason has the status and the close code that docs/aaep.md tells', () => {
  const told = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| (\d{4}) \|/gm)].map(([, code, status, close]) => [
    code,
    { status: Number(status), close: Number(close) },
  ])
  expect(Object.fromEntries(told)).toEqual(rejectionTable)
})

describe('toRejection()', () => {
  test.each<[ErrorCode, RejectionCode]>([
    ['unauthenticated', 'authentication_required'],
    ['token_expired', 'authentication_required'],
    ['forbidden', 'authorization_denied'],
    ['unknown_session', 'authorization_denied'],
    ['session_deleted', 'authorization_denied'],
    ['rate_limited', 'rate_limit'],
    ['too_many_connections', 'rate_limit'],
    ['closed', 'transport_unavailable'],
    ['overloaded', 'transport_unavailable'],
    ['storage_full', 'transport_unavailable'],
    ['bad_request', 'unknown'],
  ])('%s is %s', (code, reason) => {
    expect(toRejection(code).code).toBe(reason)
  })

  test('is valid to the letter for every error', () => {
    const checker = aaepMessageChecker('subscription.rejected')
    const codes = Object.keys(errorTable) as ErrorCode[] // its keys
    for (const code of codes) expect(checker?.exactFindings(toRejected(toRejection(code)))).toEqual([])
  })

  test('says when to try again', () => {
    expect(toRejection('rate_limited').retryAfterSeconds).toBe(60)
    expect(toRejection('forbidden').retryAfterSeconds).toBeUndefined()
  })
})
