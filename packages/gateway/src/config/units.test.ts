import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatBytes, formatDuration } from '../testing/format-amount.ts'
import { bytesPattern, durationPattern, parseBytes, parseDuration } from './units.ts'

describe('parseDuration()', () => {
  test.each([
    ['250', 250],
    ['250ms', 250],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['2 h', 7_200_000],
    ['7d', 604_800_000],
    [' 1s ', 1000],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms))

  test.each(['', 's', '-1s', '1y', '1 month', '0.0001s', '1e3', '1s2', '99999999999999999', '1.5'])(
    'does not read %j',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  )
})

describe('parseBytes()', () => {
  test.each([
    ['0', 0],
    ['512B', 512],
    ['64MiB', 67_108_864],
    ['10 MB', 10_000_000],
    ['1.5KiB', 1536],
    ['2GiB', 2_147_483_648],
  ])('reads %s', (text, bytes) => expect(parseBytes(text)).toBe(bytes))

  test.each(['64mib', '64M', '1.3B', '9007199254740993', 'MiB', '__proto__', '1constructor'])(
    'does not read %j',
    (text) => expect(parseBytes(text)).toBeUndefined(),
  )
})

test('any amount is read back from its text, and its text has the published form', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (amount) => {
      expect(parseBytes(formatBytes(amount))).toBe(amount)
      expect(parseDuration(formatDuration(amount))).toBe(amount)
    }),
  )
  expect(formatBytes(1_048_576)).toBe('1MiB')
  expect(formatDuration(3_600_000)).toBe('1h')
  expect('1.5 h').toMatch(new RegExp(durationPattern))
  expect('1.5 KiB').toMatch(new RegExp(bytesPattern))
})
