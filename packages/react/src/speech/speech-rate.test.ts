import { expect, test } from 'vitest'
import { toSpeechRate } from './speech-rate.ts'

test.each([
  [undefined, 1],
  [180, 1],
  [360, 2],
  [90, 0.5],
  [1, 0.1],
  [100_000, 10],
  [Number.NaN, 1],
])('%s words a minute are the rate %f', (rateWpm, rate) => {
  expect(toSpeechRate(rateWpm)).toBe(rate)
})
