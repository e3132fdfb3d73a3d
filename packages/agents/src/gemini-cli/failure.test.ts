import { expect, test } from 'vitest'
import { toRequest } from '../testing/replay.ts'
import { classify, exitMessage, toFailure } from './failure.ts'

const apiError = (code: number): string =>
  `[API Error: {"error":{"code":${code},"message":"secret","status":"INTERNAL"}}]`

test.each([
  ['FatalAuthenticationError', '', 'authentication failed'],
  ['FatalInputError', '', 'invalid input'],
  ['FatalTurnLimitedError', 'secret', 'turn limit exceeded'],
  ['TerminalQuotaError', 'secret', 'quota exceeded'],
  ['ModelNotFoundError', 'secret', 'model rejected by runtime (details redacted)'],
  ['unknown', apiError(400), 'model API error'],
  ['unknown', apiError(401), 'authentication failed'],
  ['unknown', apiError(429), 'rate limited'],
  ['unknown', apiError(503), 'model API unavailable'],
  ['unknown', 'secret', 'completion failed'],
  ['constructor', 'secret', 'completion failed'],
])('an error of type %s and text %s is told in words of ours', (type, message, told) => {
  expect(toFailure({ type, message })).toBe(`gemini backend error: ${told}`)
})

test.each([
  [1, 'completion failed'],
  [41, 'authentication failed'],
  [42, 'invalid input'],
  [44, 'sandbox failed'],
  [52, 'invalid configuration'],
  [53, 'turn limit exceeded'],
  [54, 'tool execution failed'],
  [55, 'untrusted workspace'],
  [130, 'interrupted'],
  [144, 'completion failed'],
  [null, 'completion failed'],
])('exit code %s is told in words of ours', (code, told) => {
  expect(exitMessage({ code, signal: null })).toBe(`gemini backend error: ${told}`)
})

const selection = toRequest({ resume: { selector: 'id', id: 'x' } })

test.each([
  ['no session at all', 'Error resuming session: No previous sessions found for this project.\n'],
  ['none of this id', 'Loading\nError resuming session: Invalid session identifier "x".\n  Searched\n'],
])('standard error that tells of %s', (_, stderr) => {
  expect(classify(stderr, selection)).toBe('session not found')
  expect(classify(stderr, toRequest({}))).toBeUndefined()
})

test('standard error that tells of anything else says nothing', () => {
  expect(classify('Error resuming session: EACCES: permission denied\n', selection)).toBeUndefined()
  expect(classify('tool: Error resuming session: Invalid session identifier\n', selection)).toBeUndefined()
})
