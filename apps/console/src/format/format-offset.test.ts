import { expect, test } from 'vitest'
import { formatOffset } from './format-offset.ts'

test.each([
  [0, 1000, '0:00'],
  [12_000, 1000, '0:12'],
  [12_999, 1000, '0:12'],
  [12_500, 500, '0:12.5'],
  [12_340, 20, '0:12.34'],
  [12_005, 5, '0:12.005'],
  [605_000, 5000, '10:05'],
  [3_723_000, 30_000, '1:02:03'],
  [93_600_000, 3_600_000, '26:00:00'],
  [-5, 1, '0:00.000'],
  [Number.NaN, 1, 'unknown'],
])('formatOffset(%d, %d) is %s', (offsetMs, stepMs, expected) => {
  expect(formatOffset(offsetMs, stepMs)).toBe(expected)
})
