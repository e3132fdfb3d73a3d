import { expect, test } from 'vitest'
import { toRequest } from '../testing/replay.ts'
import { classify, toFailure } from './failure.ts'

test.each([
  ['ProviderAuthError', undefined, 'opencode backend error: authentication failed'],
  ['MessageAbortedError', undefined, 'opencode backend error: interrupted'],
  ['ContextOverflowError', undefined, 'opencode backend error: context limit exceeded'],
  ['APIError', 400, 'opencode backend error: model API error'],
  ['APIError', 402, 'opencode backend error: quota exceeded'],
  ['APIError', 403, 'opencode backend error: authentication failed'],
  ['APIError', 429, 'opencode backend error: rate limited'],
  ['APIError', 529, 'opencode backend error: model API unavailable'],
  ['APIError', undefined, 'opencode backend error: model API error'],
  ['UnknownError', undefined, 'opencode run failed'],
  ['constructor', 500, 'opencode run failed'],
])('the error %s with status %s is told in words of ours', (name, status, told) => {
  expect(toFailure(name, status)).toBe(told)
})

const selection = toRequest({ resume: { selector: 'id', id: 'x' } })
const stderr = '\u001b[91m\u001b[1mError: \u001b[0mSession not found\r\n'

test('standard error that tells of no session', () => {
  expect(classify(stderr, selection)).toBe('session not found')
  expect(classify(stderr, toRequest({ fork: { selector: 'id', id: 'x' } }))).toBe('session not found')
  expect(classify(stderr, toRequest({}))).toBeUndefined()
})

test('standard error that tells of anything else says nothing', () => {
  expect(classify('Error: ENOENT: Session not found in x\n', selection)).toBeUndefined()
  expect(classify('tool: Session not found\n', selection)).toBeUndefined()
})
