import type { JsonObject } from '@sluice/protocol'
import { expect, test } from 'vitest'
import type { CheckedRequest } from '../request/checked-request.ts'
import { replay, toRequest } from '../testing/replay.ts'
import { classify, exitMessage } from './failure.ts'
import { mapper } from './map.ts'

const secret = 'SECRET'
const byId: Partial<CheckedRequest> = { resume: { selector: 'id', id: 's1' } }
const last: Partial<CheckedRequest> = { fork: { selector: 'last' } }
const rejected = 'claude_code backend error: model rejected by runtime (details redacted)'
const noModel = `There's an issue with the selected model (${secret}).`

/** The failure of a run whose model did not answer for this reason, with this result. */
function failureOf(
  error: string | undefined,
  result: JsonObject,
  values: Partial<CheckedRequest> = {},
): unknown {
  const message = { id: 'm1', content: [{ type: 'text', text: secret }] }
  const lines = [
    ...(error === undefined ? [] : [{ type: 'assistant', error, message }]),
    { type: 'result', subtype: 'success', is_error: true, result: secret, ...result },
  ]
  const { events, verdict } = replay(mapper, lines, { request: toRequest(values) })
  expect(JSON.stringify([events, verdict])).not.toContain(secret)
  return verdict?.ok === false ? verdict.message : verdict
}

test.each<[string, string | undefined, JsonObject, Partial<CheckedRequest>, string]>([
  ['authentication', 'authentication_failed', { api_error_status: 401 }, {}, 'authentication failed'],
  ['an organization', 'oauth_org_not_allowed', {}, {}, 'organization not allowed'],
  ['a bill', 'billing_error', {}, {}, 'billing error'],
  ['a limit of rate', 'rate_limit', { api_error_status: 429 }, {}, 'rate limited'],
  ['the API', 'server_error', { api_error_status: 500 }, {}, 'model API error'],
  ['an error that is not known', 'unknown', { api_error_status: 400 }, {}, 'model API error (status=400)'],
  ['an error that is never heard of', secret, {}, {}, 'error during execution'],
  ['an error in a success', 'overloaded', { is_error: false }, {}, 'model API overloaded'],
  ['a model', 'model_not_found', { api_error_status: 404 }, {}, 'model not found'],
  ['turns', undefined, { subtype: 'error_max_turns' }, {}, 'max turns'],
  ['money', undefined, { subtype: 'error_max_budget_usd', is_error: false }, {}, 'max budget'],
  ['form', undefined, { subtype: 'error_max_structured_output_retries' }, {}, 'no structured output'],
  ['an interruption', undefined, { terminal_reason: 'aborted_tools' }, {}, 'interrupted'],
  [
    'anything',
    undefined,
    { subtype: 'error_during_execution', is_error: false },
    {},
    'error during execution',
  ],
  ['a subtype that is not known', undefined, { subtype: secret }, {}, 'error during execution'],
])('a run that fails by %s says so in words of ours', (_, error, result, values, why) => {
  expect(failureOf(error, result, values)).toBe(`claude_code failed: ${why}`)
})

test.each<[string, string | undefined, JsonObject, Partial<CheckedRequest>, string]>([
  ['a model that was asked for', 'model_not_found', {}, { model: secret }, rejected],
  ['the same in other words', undefined, { result: noModel }, { model: secret }, rejected],
  [
    'a session',
    undefined,
    { errors: [`No conversation found with session ID: ${secret}`] },
    byId,
    'session not found',
  ],
  [
    'an id',
    undefined,
    { errors: ['Error: --resume requires a valid session ID'] },
    byId,
    'session not found',
  ],
  ['any session', undefined, { errors: ['No conversation found to continue'] }, last, 'no session found'],
])('a run that does not find %s says so', (_, error, result, values, message) => {
  expect(failureOf(error, result, values)).toBe(message)
})

test('an error that another message follows is none', () => {
  const message = { id: 'm1', content: [] }
  const lines = [
    { type: 'assistant', error: 'max_output_tokens', message },
    { type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: 'Shorter.' }] } },
    { type: 'result', subtype: 'success', is_error: false, result: 'Shorter.' },
  ]
  expect(replay(mapper, lines).verdict).toEqual({ ok: true, finalText: 'Shorter.' })
})

test.each<[string, Partial<CheckedRequest>, string | undefined]>([
  ['warning\nNo conversation found with session ID: s1\n', byId, 'session not found'],
  ['No conversation found with session ID: s1', {}, undefined],
  ['No conversation found with session ID: s1', last, undefined],
  ['No conversation found to continue', last, 'no session found'],
  ['ENOENT: no such file or directory', byId, undefined],
  ['the tool said: No conversation found with session ID', byId, undefined],
  [
    '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons',
    {},
    'claude_code backend error: permissions cannot be bypassed as root',
  ],
])('of standard error, %j is understood as it is meant', (stderr, values, message) => {
  expect(classify(stderr, toRequest(values))).toBe(message)
})

test('an exit is told by its code or its signal', () => {
  expect(exitMessage({ code: 3, signal: null })).toBe('claude_code exited non-zero: code=3 (output redacted)')
  expect(exitMessage({ code: null, signal: 'SIGSEGV' })).toBe(
    'claude_code exited non-zero: signal=SIGSEGV (output redacted)',
  )
})
