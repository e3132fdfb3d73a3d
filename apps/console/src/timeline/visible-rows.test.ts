import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxRows, scrollFor, visibleRows } from './visible-rows.ts'

test.each([
  [0, 340, 0, { first: 0, end: 0 }],
  [0, 340, 5, { first: 0, end: 5 }],
  [0, 340, 1000, { first: 0, end: 23 }],
  [3400, 340, 1000, { first: 88, end: 123 }],
  [1e9, 340, 1000, { first: 987, end: 1000 }],
  [0, 1e9, 1000, { first: 0, end: 148 }],
])('visibleRows(%d, %d) of %d', (scrollTop, height, count, rows) =>
  expect(visibleRows({ scrollTop, height, rowHeight: 34 }, count)).toEqual(rows),
)

test('visibleRows() never draws more than its bound, nor what is not there', () => {
  const size = fc.integer({ min: 0, max: 10_000_000 })
  fc.assert(
    fc.property(size, size, fc.integer({ min: 1, max: 200 }), size, (scrollTop, height, rowHeight, count) => {
      const { first, end } = visibleRows({ scrollTop, height, rowHeight }, count)
      expect(end - first).toBeLessThanOrEqual(maxRows)
      expect(first).toBeGreaterThanOrEqual(0)
      expect(end).toBeLessThanOrEqual(count)
      if (count > 0) expect(end).toBeGreaterThan(first)
    }),
  )
})

test.each([
  [0, 100, 0],
  [50, 0, 50 * 34 + 34 - 340],
  [12, 300, 300],
])('scrollFor(%d) from %d', (row, scrollTop, wanted) =>
  expect(scrollFor(row, { scrollTop, height: 340, rowHeight: 34 })).toBe(wanted),
)
