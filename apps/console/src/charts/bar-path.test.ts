import { expect, test } from 'vitest'
import { barPath } from './bar-path.ts'

test.each([
  ['nothing', [], 0, ''],
  ['zero and less', [0, -4, Number.NaN], 10, ''],
  ['no peak', [0, 0], 0, ''],
  ['a peak below zero', [-4, -2], -2, ''],
  ['a whole bar', [5], 5, 'M0.1 100V0H0.9V100Z'],
  ['half a bar, behind an empty place', [0, 5], 10, 'M1.1 100V50H1.9V100Z'],
  ['a bar too small to see', [1], 1e6, 'M0.1 100V98H0.9V100Z'],
  ['a bar above the peak', [9], 3, 'M0.1 100V0H0.9V100Z'],
  ['no finite peak', [Number.POSITIVE_INFINITY], Number.POSITIVE_INFINITY, ''],
])('barPath() draws %s', (_, values, peak, path) => {
  expect(barPath(values, peak)).toBe(path)
})
