import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonValue } from './json.ts'
import { runs } from './testing/runs.ts'
import { isWellFormedJson, stringifyWellFormed, toWellFormedJson } from './well-formed-json.ts'

test.each<[JsonValue, string, boolean]>([
  ['\ud800', '"\ufffd"', false],
  ['\\ud800', '"\\\\ud800"', true],
  [{ '\udc00': [{ a: 'x\ud83d' }] }, '{"\ufffd":[{"a":"x\ufffd"}]}', false],
  [{ a: '💖', b: [null, 1, true] }, '{"a":"💖","b":[null,1,true]}', true],
])('stringifyWellFormed(%j) is %s', (value, text, isWellFormed) => {
  expect(stringifyWellFormed(value)).toBe(text)
  expect(isWellFormedJson(value)).toBe(isWellFormed)
})

test('stringifyWellFormed() writes any JSON without a lone surrogate, and well-formed JSON as it is', () => {
  const anyJson = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }) as fc.Arbitrary<JsonValue>
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = stringifyWellFormed(value)
      expect(text.isWellFormed()).toBe(true)
      expect(isWellFormedJson(JSON.parse(text) as JsonValue)).toBe(true)
      expect(JSON.stringify(toWellFormedJson(value))).toBe(text)
      if (isWellFormedJson(value)) expect(text).toBe(JSON.stringify(value))
    }),
    { numRuns: runs(500) },
  )
})

test('a key __proto__ stays a key', () => {
  const value = JSON.parse('{"__proto__":"\\ud800"}') as JsonValue
  expect(stringifyWellFormed(value)).toBe('{"__proto__":"\ufffd"}')
})
