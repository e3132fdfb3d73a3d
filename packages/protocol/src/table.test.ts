import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyTable, tableGet, tableSet, tableValues } from './table.ts'
import { runs } from './testing/runs.ts'

test('a table behaves as a map in the order of insertion, also after a trip through JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.integer()), { maxLength: 1200 }), (pairs) => {
      const model = new Map<string, number>()
      let table = emptyTable<number>()
      for (const [key, value] of pairs) {
        model.set(key, value)
        table = tableSet(table, key, value)
      }
      const read = JSON.parse(JSON.stringify(table)) as typeof table
      for (const [key, value] of model) {
        expect(tableGet(table, key)).toBe(value)
        expect(tableGet(read, key)).toBe(value)
      }
      expect(tableValues(read)).toEqual([...model.values()])
      expect(table.size).toBe(model.size)
    }),
    { numRuns: runs(60) },
  )
})

test('setting a key leaves the table before it alone', () => {
  const before = tableSet(emptyTable<number>(), 'a', 1)
  tableSet(before, 'a', 2)
  expect(tableGet(before, 'a')).toBe(1)
})

test('__proto__ and constructor are keys like any other', () => {
  const table = tableSet(emptyTable<number>(), '__proto__', 7)
  expect(tableGet(table, '__proto__')).toBe(7)
  expect(tableGet(table, 'constructor')).toBeUndefined()
  expect(tableValues(table)).toEqual([7])
})
