import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from './testing/runs.ts'
import { trimWhiteSpace } from './trim-white-space.ts'

test.each([
  ['', ''],
  [' \t\r\n', ''],
  [' a b ', 'a b'],
  ['\u0085a\u0085', 'a'],
  ['\u2003\u3000a\u00a0', 'a'],
  ['\ufeffa\ufeff', '\ufeffa\ufeff'],
  ['\u200ba', '\u200ba'],
  [' 💖 ', '💖'],
])('trimWhiteSpace(%j) is %j', (text, trimmed) => {
  expect(trimWhiteSpace(text)).toBe(trimmed)
})

test('trimWhiteSpace() takes away what the expression of Unicode names, of any text', () => {
  const unit = fc.constantFrom(' ', '\u0085', '\u3000', '\ufeff', 'a', '💖', '\n', '\ud800')
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(trimWhiteSpace(text)).toBe(text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ''))
    }),
    { numRuns: runs(300) },
  )
})

test('trimWhiteSpace() passes a long text once', () => {
  const text = `a${' '.repeat(2_000_000)}b`
  expect(trimWhiteSpace(text).length).toBe(text.length)
})
