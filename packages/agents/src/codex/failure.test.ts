import { expect, test } from 'vitest'
import { toRequest } from '../testing/replay.ts'
import { classify, exitMessage, toFailureMessage, toRetryText } from './failure.ts'

const rejected = 'codex backend error: model rejected by runtime (details redacted)'
const failed = (reason: string): string => `codex backend error: turn failed (${reason})`

test.each([
  ['SECRET', 'codex backend error: turn failed'],
  ['{"error":{"message":"SECRET","type":"server_error"}}', 'codex backend error: turn failed'],
  ['exceeded retry limit, last status: 429 Too Many Requests', failed('status=429')],
  ['unexpected status 401 Unauthorized: SECRET, url: http://x/', failed('status=401')],
  ["You've hit your usage limit. SECRET", failed('usage limit reached')],
  ['Quota exceeded. Check your plan and billing details.', failed('quota exceeded')],
  ["Codex ran out of room in the model's context window.", failed('context window exceeded')],
  ['Selected model is at capacity. Please try a different model.', failed('model at capacity')],
  ['stream disconnected before completion: SECRET', failed('connection failed')],
])('a turn that fails by %s', (error, message) => {
  expect(toFailureMessage(error, { hasModel: false })).toBe(message)
})

test.each([
  ["The 'SECRET' model is not supported when using Codex with a ChatGPT account.", rejected],
  ['unexpected status 404 Not Found: The model `SECRET` does not exist, url: x', rejected],
  ['{"error":{"code":"model_not_found"}}', rejected],
  ['unexpected status 502 Bad Gateway: m', failed('status=502')],
])('a model that was asked for, and then %s', (error, message) => {
  expect(toFailureMessage(error, { hasModel: true })).toBe(message)
  expect(toFailureMessage(error, { hasModel: false })).not.toBe(rejected)
})

test.each([
  [
    'Reconnecting... 2/5 (stream disconnected before completion: SECRET)',
    'api retry 2/5 (connection failed)',
  ],
  ['Reconnecting... 1/2 (unexpected status 503 Service Unavailable: SECRET)', 'api retry 1/2 (status=503)'],
  ['Reconnecting... waiting for network (SECRET)', 'api retry'],
  ['SECRET', undefined],
])('the error %s as one that is tried again', (error, text) => {
  expect(toRetryText(error)).toBe(text)
})

const unknownThread = 'no rollout found for thread id 00000000-0000-7000-8000-000000000000 (code -32600)'
const byId = { selector: 'id', id: 'x' } as const

test.each([
  [`Error: thread/resume: thread/resume failed: ${unknownThread}`, { resume: byId }, 'session not found'],
  [`Error: thread/fork: thread/fork failed: ${unknownThread}`, { fork: byId }, 'session not found'],
  ['Reading prompt from stdin...\nError: Session not found: x', { fork: byId }, 'session not found'],
  [`Error: thread/resume: ${unknownThread}`, { resume: { selector: 'last' } }, 'no session found'],
  [`Error: thread/resume: ${unknownThread}`, {}, undefined],
  ['Error: No such file or directory (os error 2)', { resume: byId }, undefined],
  [
    "error: unexpected argument 'x' found",
    { fork: byId },
    'codex backend error: this codex cannot fork a session',
  ],
  ["error: unexpected argument '--add-dir' found", { addDirs: ['/'] }, 'add_dirs rejected by runtime'],
] as const)('standard error that says %s', (stderr, values, message) => {
  expect(classify(stderr, toRequest(values))).toBe(message)
})

test('an exit is told by its code or signal', () => {
  expect(exitMessage({ code: 1, signal: null })).toBe('codex exited non-zero: code=1 (stderr redacted)')
  expect(exitMessage({ code: null, signal: 'SIGKILL' })).toBe(
    'codex exited non-zero: signal=SIGKILL (stderr redacted)',
  )
})
