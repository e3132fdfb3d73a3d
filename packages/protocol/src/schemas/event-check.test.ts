import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { eventFindings, isEvent } from './event-check.ts'

const usually = (right: fc.Arbitrary<unknown>, ...wrong: readonly unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) })
const text = usually(fc.string({ maxLength: 2 }), 1, null)
const count = usually(fc.constantFrom(0, 1), 2.5, -1, '1', null)
const agent = usually(fc.dictionary(fc.constantFrom('id', 'kind', 'more'), text), [], 'agent')
const urgency = usually(fc.constant('normal'), 'high')
const meta = usually(
  fc.record({ id: text, at: text, agent, urgency }, { requiredKeys: [] }),
  null,
  [],
  'meta',
)
const usual = { kind: 'text-delta', output: 'a', take: 0, text: '', position: 0, channel: 'answer' }
const delta = fc
  .record(
    {
      output: text,
      take: count,
      text,
      position: count,
      channel: usually(fc.constantFrom('answer', 'reasoning'), 'other', null),
      held: text,
      more: count,
      meta,
    },
    { requiredKeys: [] },
  )
  .map((fields) => JSON.parse(JSON.stringify({ ...usual, ...fields })))

test('isEvent() checks a delta as its schema does', () => {
  let events = 0
  fc.assert(
    fc.property(delta, (event) => {
      if (isEvent(event)) events++
      expect(isEvent(event)).toBe(eventFindings([event]).length === 0)
    }),
    { numRuns: runs(2000) },
  )
  expect(events).toBeGreaterThan(200)
})
