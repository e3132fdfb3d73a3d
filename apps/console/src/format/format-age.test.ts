import { expect, test } from 'vitest'
import { formatAge } from './format-age.ts'

test.each([
  [0, 'just now'],
  [42_000, '42 s ago'],
  [120_000, '2 min ago'],
  [7_200_000, '2 h ago'],
  [259_200_000, '3 d ago'],
  [-5000, 'just now'],
])('formatAge() after %d ms', (ms, text) => expect(formatAge(1000, 1000 + ms)).toBe(text))
