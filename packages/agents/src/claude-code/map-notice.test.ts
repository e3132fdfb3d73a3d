import type { JsonObject } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { replay } from '../testing/replay.ts'
import { mapper } from './map.ts'

test.each<[string, JsonObject, string, string]>([
  [
    'a retry',
    { subtype: 'api_retry', attempt: 2, max_retries: 10, error_status: 529 },
    'warning',
    'api retry 2/10 (status=529)',
  ],
  ['a retry without numbers', { subtype: 'api_retry', error_status: null }, 'warning', 'api retry'],
  [
    'a refusal',
    { subtype: 'permission_denied', tool_name: 'Bash', message: 'SECRET' },
    'warning',
    'Claude Code was not allowed to use Bash.',
  ],
  ['less context', { subtype: 'compact_boundary' }, 'info', 'context compacted'],
  ['another model', { subtype: 'model_refusal_fallback' }, 'warning', 'another model goes on'],
])('%s is a notice', (_, line, level, text) => {
  const { events } = replay(mapper, [{ type: 'system', ...line }])
  expect(events).toMatchObject([{ kind: 'notice', level, text }])
})

test.each([
  ['allowed', 'debug', 'rate limit allowed'],
  ['rejected', 'warning', 'rate limit rejected'],
  ['SECRET', 'warning', 'rate limit changed'],
])('a rate limit that is %s is a notice', (status, level, text) => {
  const { events } = replay(mapper, [{ type: 'rate_limit_event', rate_limit_info: { status } }])
  expect(events).toMatchObject([{ kind: 'notice', code: 'rate_limit', level, text }])
})
