import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseIsoTime } from './iso-time.ts'
import { runs } from './testing/runs.ts'

const digits = (length: number) =>
  fc.nat(10 ** length - 1).map((number) => String(number).padStart(length, '0'))

test('reads every time as Date.parse() does, also those that no calendar has', () => {
  fc.assert(
    fc.property(
      digits(4),
      digits(2),
      digits(2),
      digits(2),
      digits(2),
      digits(2),
      digits(3),
      (y, mo, d, h, mi, s, ms) => {
        const text = `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`
        expect(parseIsoTime(text)).toBe(Date.parse(text))
      },
    ),
    { numRuns: runs(2000) },
  )
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(parseIsoTime(date.toISOString())).toBe(date.getTime())
    }),
    { numRuns: runs(1000) },
  )
})

test.each([
  '',
  'never',
  '2026-05-24T14:22:11Z',
  '2026-05-24T14:22:11.342+01:00',
  '2026-05-24T14:22:1x.342Z',
  '2026-02-31T00:00:00.000Z',
])('reads %j as Date.parse() does', (text) => {
  expect(parseIsoTime(text)).toBe(Date.parse(text))
})
