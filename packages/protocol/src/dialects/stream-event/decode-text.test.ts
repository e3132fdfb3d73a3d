import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from '../../json.ts'
import { createSessionState } from '../../session-state.ts'
import { settle } from '../../settle.ts'
import { runs } from '../../testing/runs.ts'
import { decodeChunk, decodeText } from './decode-text.ts'
import { noneKept } from './kept.ts'

const label = fc.oneof(
  fc.constantFrom(
    { output: 'answer' },
    { output: 'b' },
    { output: 7 },
    {},
    { contentType: 'text/plain' },
    null,
    'x',
  ),
  fc.jsonValue({ maxDepth: 1 }),
)
const data = fc.oneof(
  fc.record({ text: fc.string(), sluice: label, content: fc.string() }, { requiredKeys: ['text'] }),
  fc.jsonValue({ maxDepth: 2 }),
)

const { state: session } = settle(createSessionState({ id: 'sess_1' }), [
  { kind: 'text-delta', output: 'answer', take: 0, position: 0, text: 'So far. ', channel: 'answer' },
])

test('a chunk is read the same in the short way and at length', () => {
  let compared = 0
  fc.assert(
    fc.property(data, (drawn) => {
      const value = JSON.parse(JSON.stringify({ type: 'answer_chunk', data: drawn })) as { data: JsonValue }
      const chunk = decodeChunk(value, session)
      if (chunk === undefined) return
      compared++
      expect(decodeText({ session, data: value.data, kept: noneKept }, 'answer_chunk')).toEqual(chunk)
    }),
    { numRuns: runs(2000) },
  )
  expect(compared).toBeGreaterThan(100)
})
