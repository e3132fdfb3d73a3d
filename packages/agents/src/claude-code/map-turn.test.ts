import { type JsonObject, omitUndefined } from '@sluice/protocol'
import { expect, test } from 'vitest'
import { replay } from '../testing/replay.ts'
import { mapper } from './map.ts'

test.each<[string, JsonObject, readonly JsonObject[], number | undefined]>([
  [
    'the turn',
    { total_cost_usd: 3, model_usage_since_last_result: { a: { costUSD: 1 }, b: { costUSD: 0.5 } } },
    [],
    1.5,
  ],
  ['the session, in its first turn', { total_cost_usd: 3 }, [], 3],
  ['the session, in a later turn', { total_cost_usd: 3 }, [{ total_cost_usd: 2 }], 1],
  ['nothing', {}, [], undefined],
])('the cost of a turn is known from that of %s', (_, last, before, amount) => {
  const running = { type: 'system', subtype: 'session_state_changed', state: 'running' }
  const usage = {
    input_tokens: 1,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 300,
    output_tokens: 4,
  }
  const results = [...before, last].map((cost) => ({ type: 'result', subtype: 'success', usage, ...cost }))
  const told = replay(mapper, [running, ...results]).events.at(-1)
  expect(told).toEqual({
    kind: 'usage',
    inputTokens: 321,
    cachedTokens: 20,
    outputTokens: 4,
    ...omitUndefined({ cost: amount === undefined ? undefined : { amount, currency: 'USD' } }),
  })
})
