import { isJsonObject, type JsonValue, type SluiceEvent } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { boundEvents } from './bound-events.ts'

const delta = (text: string): SluiceEvent => ({
  kind: 'text-delta',
  output: 'm1',
  take: 0,
  position: 0,
  channel: 'reasoning',
  text,
  meta: { parent: 't1' },
})
const call = (args: JsonValue): SluiceEvent => ({ kind: 'tool-call', call: 't1', tool: 'x', args })
const result = (value: JsonValue): SluiceEvent => ({
  kind: 'tool-result',
  call: 't1',
  tool: 'x',
  status: 'error',
  exitCode: 3,
  result: value,
})
const textsOf = (events: readonly SluiceEvent[]): readonly string[] =>
  events.map((event) => (event.kind === 'text-delta' ? event.text : expect.unreachable()))
const nest = (depth: number): JsonValue => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

const dropped = { dropped: { reason: 'oversize' } }

test('events within their bounds are the same events', () => {
  const events = [delta('hello'), call({ a: 1 }), result('x'), delta('')]
  expect(boundEvents(events)).toBe(events)
})

test.each<[string, string, readonly number[]]>([
  ['as much as one may have', 'a'.repeat(32_768), [32_768]],
  ['one more', 'a'.repeat(32_769), [32_768, 1]],
  ['twice as much', 'é'.repeat(65_536), [32_768, 32_768]],
  ['pairs that fit', '💖'.repeat(16_384), [32_768]],
  ['pairs that do not', `a${'💖'.repeat(16_384)}`, [32_767, 2]],
  ['many pairs', '💖'.repeat(40_000), [32_768, 32_768, 14_464]],
])('a text of %s is cut between characters', (_, text, lengths) => {
  const events = boundEvents([delta(text)])
  expect(textsOf(events).map(({ length }) => length)).toEqual(lengths)
  expect(textsOf(events).join('')).toBe(text)
  expect(new Set(events.map((event) => JSON.stringify({ ...event, text: '' })))).toHaveLength(1)
})

test('a text is whole again whatever it is made of, and no cut goes through a character', () => {
  const unit = fc.constantFrom('a', 'é', '💖', '\u{1f468}\u200d', '\ud800', '\udc00')
  const long = fc.tuple(fc.string({ unit, maxLength: 20 }), fc.integer({ min: 1, max: 8000 }), fc.nat(3))
  fc.assert(
    fc.property(long, ([piece, times, offset]) => {
      const text = 'x'.repeat(offset) + piece.repeat(times)
      const texts = textsOf(boundEvents([delta(text)]))
      expect(texts.join('') === text).toBe(true)
      expect(texts.every(({ length }) => length <= 32_768)).toBe(true)
      if (text.isWellFormed()) expect(texts.every((each) => each.isWellFormed())).toBe(true)
    }),
    { numRuns: runs(60) },
  )
})

test.each<[string, JsonValue, JsonValue]>([
  ['a text of all bytes', 'a'.repeat(262_144), 'a'.repeat(262_144)],
  ['a text of one more', 'a'.repeat(262_145), `${'a'.repeat(262_130)}…(truncated)`],
  ['a text cut in a character', `a${'💖'.repeat(65_536)}`, `a${'💖'.repeat(65_532)}…(truncated)`],
  ['a small object', { a: 'x' }, { a: 'x' }],
  ['a large object', { a: 'x'.repeat(262_144) }, dropped],
  ['a large list', Array.from({ length: 131_073 }, () => 1), dropped],
  ['a deep list', nest(56), nest(56)],
  ['a deeper list', nest(57), dropped],
  ['a list that no stack holds', nest(200_000), dropped],
  ['nothing', null, null],
])('what a tool took and gave is bounded: %s', (_, value, bounded) => {
  const [taken, given] = boundEvents([call(value), result(value)])
  expect(taken).toEqual(call(bounded))
  expect(given).toEqual(result(bounded))
})

test('whatever a tool took, its bounded form can be written and is not larger', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 300_000 }), (value, padding) => {
      const args = { value, padding: 'é'.repeat(padding / 2) } as JsonValue // made of JSON values
      const [event] = boundEvents([call(args)])
      const bounded = event?.kind === 'tool-call' ? event.args : undefined
      expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThanOrEqual(262_144)
      expect(isJsonObject(bounded)).toBe(true)
    }),
    { numRuns: runs(100) },
  )
})
