import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { readChunk } from './read-chunk.ts'
import { readFrame } from './read-frame.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('Hello. ', 'é'.repeat(30_000), '\ud800'),
)
const data = fc.oneof(
  fc.constantFrom({ sluice: { output: 'a' } }, { sluice: 1 }, {}, { schema: 'x', sluice: {} }),
  fc.jsonValue({ maxDepth: 1 }),
)
const channel = fc.oneof(fc.constantFrom('assistant', 'user', 'thinking', 'c'.repeat(129)), text)
const head = { agent_kind: fc.constant('codex'), kind: fc.constant('TextOutput'), text }
const usual = fc.record({ ...head, channel, data }, { requiredKeys: ['agent_kind', 'kind', 'text'] })
const unusual = fc.record({
  agent_kind: fc.constantFrom('codex', 'Codex', ''),
  kind: fc.constantFrom('TextOutput', 'Status', 'text_output'),
  text,
  more: fc.constantFrom({ message: 'm' }, { completion: {} }, { text: null }, {}),
})
const frame = fc.oneof(
  usual,
  unusual.map(({ more, ...rest }) => ({ ...rest, ...more })),
)

test('a chunk is read the same in the short way and at length', () => {
  let compared = 0
  fc.assert(
    fc.property(frame, (value) => {
      const json = JSON.stringify(value)
      const read = { text: json, value: JSON.parse(json) }
      const chunk = readChunk(read)
      if (chunk === undefined) return
      compared++
      expect(readFrame(read)).toEqual({ form: 'event', event: chunk, findings: [], exact: true })
    }),
    { numRuns: runs(2000) },
  )
  expect(compared).toBeGreaterThan(100)
})
