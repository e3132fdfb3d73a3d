import { expect, test } from 'vitest'
import { formatTable } from './text-table.ts'

test('columns are as wide as their widest cell, counted in characters', () => {
  expect(formatTable([['a', 'bb', 'c'], ['☕☕☕', '', 'd'], ['x']])).toBe('a    bb  c\n☕☕☕      d\nx\n')
  expect(formatTable([])).toBe('')
})
