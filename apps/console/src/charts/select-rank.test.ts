import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantile, selectRank } from './select-rank.ts'

test('selectRank() finds what sorting finds, at every rank', () => {
  const anyValues = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true })))
  fc.assert(
    fc.property(anyValues, (values) => {
      const sorted = Float64Array.from(values).sort()
      const moved = Float64Array.from(values)
      for (const [rank, value] of sorted.entries()) expect(selectRank(moved, rank) - value || 0).toBe(0)
      expect(moved.sort()).toEqual(sorted)
    }),
  )
})

test.each([
  [[], 0.5, 0],
  [[7], 0.95, 7],
  [[3, 1, 2], 0.5, 2],
  [[4, 3, 1, 2], 0.5, 2],
  [[4, 3, 1, 2], 0.95, 4],
])('quantile(%j, %d) is %d', (values, share, expected) => {
  expect(quantile(Float64Array.from(values), share)).toBe(expected)
})
