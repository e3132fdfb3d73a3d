import fc from 'fast-check'
import { expect, test } from 'vitest'
import { minuteOf, readWithin, timestampOf } from './timestamp.ts'

const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const time = fc.integer({ min: 0, max: lastTime })
const near = fc.integer({ min: -90_000, max: 90_000 })

test('readWithin() reads what Date.parse() reads, within its minute', () => {
  fc.assert(
    fc.property(time, near, (ms, offset) => {
      const minute = minuteOf(ms)
      const other = Math.min(lastTime, Math.max(0, ms + offset))
      const isWithin = minuteOf(other).at === minute.at
      expect(readWithin(minute, new Date(other).toISOString())).toBe(isWithin ? other : Number.NaN)
    }),
  )
})

test.each([
  '2026-05-24T14:22:60.000Z',
  '2026-05-24T14:22:0a.000Z',
  '2026-05-24T14:22:01.00 Z',
  '2026-05-24T14:22:01,000Z',
  '2026-05-24T14:22:01.000z',
  '2026-05-24T14:22:01Z',
  '2026-05-24T14:22:01.000000Z',
  '2026-05-24T14:22:01.000+00:00',
])('readWithin() leaves %s to others', (text) => {
  expect(readWithin(minuteOf(Date.UTC(2026, 4, 24, 14, 22)), text)).toBeNaN()
})

test('timestampOf() writes what toISOString() writes, in whatever minute', () => {
  fc.assert(
    fc.property(time, near, (ms, offset) => {
      expect(timestampOf(undefined, ms, minuteOf(ms + offset))).toBe(new Date(ms).toISOString())
    }),
  )
})

test('timestampOf() keeps to the years that a timestamp has', () => {
  expect(timestampOf(undefined, Number.MAX_SAFE_INTEGER, minuteOf(0))).toBe('9999-12-31T23:59:59.999Z')
  expect(timestampOf(undefined, -1, minuteOf(-1))).toBe('1970-01-01T00:00:00.000Z')
  expect(timestampOf(undefined, 1.5, minuteOf(1.5))).toBe('1970-01-01T00:00:00.001Z')
})
