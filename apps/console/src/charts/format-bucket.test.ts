import { expect, test } from 'vitest'
import { formatBucket, formatSpan } from './format-bucket.ts'

test('formatBucket() tells where a bucket starts', () => {
  expect(formatBucket({ startAt: 99, spanMs: 500, buckets: 60 }, 25)).toBe('0:12.5')
})

test.each([
  [{ startAt: 0, spanMs: 1, buckets: 1 }, 'in all'],
  [{ startAt: 0, spanMs: 500, buckets: 2 }, 'per 500\u00a0ms'],
])('formatSpan(%j) is %s', (axis, expected) => {
  expect(formatSpan(axis)).toBe(expected)
})
