import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../testing/runs.ts'
import { countCodePoints, indexOfCodePoint } from './code-points.ts'

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom('a', 'é', '中', '😀', '\ud83d', '\ude00')).map((parts) => parts.join('')),
)

it('countCodePoints() counts as iteration does, lone surrogates included', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(countCodePoints(text)).toBe([...text].length)
    }),
    { numRuns: runs(1000) },
  )
})

it('indexOfCodePoint() is the length of the first code points', () => {
  fc.assert(
    fc.property(texts, fc.nat(20), (text, count) => {
      expect(indexOfCodePoint(text, count)).toBe([...text].slice(0, count).join('').length)
    }),
    { numRuns: runs(1000) },
  )
})
