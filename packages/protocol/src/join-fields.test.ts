import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addFields, joinFields } from './join-fields.ts'
import { runs } from './testing/runs.ts'

test('joinFields() makes what two spreads make', () => {
  const object = fc.jsonValue().map((value) => ({ value }) as object)
  const odd = fc.constantFrom<object>(
    JSON.parse('{"__proto__":{"a":1},"b":2}') as object,
    JSON.parse('{"b":1,"a":2,"__proto__":3}') as object,
    { 1: 'a', b: undefined },
  )
  const any = fc.oneof(object, odd, fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat()))
  fc.assert(
    fc.property(any, any, (first, second) => {
      const joined = joinFields(first, second)
      const spread = { ...first, ...second }
      expect(Object.getPrototypeOf(joined)).toBe(Object.prototype)
      expect(Object.entries(joined)).toEqual(Object.entries(spread))
    }),
    { numRuns: runs(300) },
  )
})

test('addFields() leaves out what it is told to', () => {
  const target = { a: 1 }
  addFields(target, { b: 2, c: 3 }, new Set(['b']))
  expect(target).toEqual({ a: 1, c: 3 })
})
