import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration } from './format-duration.ts'

test.each([
  [0, '0 ms'],
  [0.4, '0 ms'],
  [-0.4, '0 ms'],
  [850, '850 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [1234, '1.2 s'],
  [4000, '4 s'],
  [9940, '9.9 s'],
  [9960, '10 s'],
  [42_000, '42 s'],
  [59_400, '59 s'],
  [59_600, '1 min'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [3_599_400, '59 min 59 s'],
  [3_599_600, '1 h'],
  [7_500_000, '2 h 5 min'],
  [86_399_000, '1 d'],
  [100_800_000, '1 d 4 h'],
  [-1500, '−1.5 s'],
  [Number.NaN, 'unknown'],
  [Number.NEGATIVE_INFINITY, 'unknown'],
])('formatDuration(%d) is %s', (durationMs, expected) => {
  expect(formatDuration(durationMs).replaceAll('\u00a0', ' ')).toBe(expected)
})

test('formatDuration() keeps a number and its unit on one line', () => {
  expect(formatDuration(185_000)).toBe('3\u00a0min 5\u00a0s')
})

test('formatDuration() answers in one or two units, whatever it is given', () => {
  fc.assert(
    fc.property(fc.double(), (durationMs) => {
      expect(formatDuration(durationMs)).toMatch(/^unknown$|^\u2212?\S+\u00a0\w+( \d+\u00a0\w+)?$/)
    }),
  )
})
