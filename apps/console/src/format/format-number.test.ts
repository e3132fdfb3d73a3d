import { expect, test } from 'vitest'
import { formatCount, formatNumber } from './format-number.ts'

test.each([
  [0, '0'],
  [-0.2, '0'],
  [7, '7'],
  [999, '999'],
  [1240, '1 240'],
  [100_000, '100 000'],
  [1_234_567.6, '1 234 568'],
  [-1240, '−1 240'],
  [1e21, '1e+21'],
  [Number.NaN, 'unknown'],
  [Number.POSITIVE_INFINITY, 'unknown'],
])('formatNumber(%d) is %s', (value, expected) => {
  expect(formatNumber(value).replaceAll('\u00a0', ' ')).toBe(expected)
})

test('formatNumber() groups with a space that does not break', () => {
  expect(formatNumber(1240)).toBe('1\u00a0240')
})

test.each([
  [0, 'event', undefined, '0 events'],
  [1, 'event', undefined, '1 event'],
  [310, 'event', undefined, '310 events'],
  [2, 'entry', 'entries', '2 entries'],
  [1, 'entry', 'entries', '1 entry'],
])('formatCount(%d, %j, %j) is %s', (count, noun, plural, expected) => {
  expect(formatCount(count, noun, plural)).toBe(expected)
})
