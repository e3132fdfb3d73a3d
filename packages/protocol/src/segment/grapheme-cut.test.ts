import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../testing/runs.ts'
import { countCodePoints, indexOfCodePoint } from './code-points.ts'
import { graphemeCut, isPlain } from './grapheme-cut.ts'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The same by definition: as many clusters of the whole text as fit. */
function slowCut(text: string, maxCodePoints: number): number {
  let cut = 0
  for (const { index, segment } of graphemes.segment(text)) {
    if (countCodePoints(text.slice(0, index + segment.length)) > maxCodePoints) break
    cut = index + segment.length
  }
  return cut > 0 ? cut : indexOfCodePoint(text, maxCodePoints)
}

const clusters = [
  'a',
  'é',
  'e\u0301',
  '中',
  '가',
  '\u1112\u1161\u11ab',
  'क्षि',
  'กำ',
  '\r\n',
  '\n',
  '👩‍👩‍👧‍👦',
  '👍🏽',
  '🇩🇪',
  '🇩',
  '\u0600',
  '\u200d',
  '\ufe0f',
  '\u0301',
  '\ud83d',
  '\udc4d',
]

describe('graphemeCut()', () => {
  it.each([
    ['Hello', 3, 3],
    ['Hello', 5, 5],
    ['Hello', 99, 5],
    ['Hello', 0, 0],
    ['Hello', -1, 0],
    ['Hello', Number.NaN, 0],
    ['😀😀', 1, 2],
    ['ae\u0301b', 2, 1],
    ['a👩‍👩‍👧‍👦b', 5, 1],
    ['👩‍👩‍👧‍👦b', 3, 5],
    ['🇩🇪🇫🇷🇪🇸', 3, 4],
    ['a\r\nb', 2, 1],
    ['क्षि', 2, 2],
  ])('cuts %j after at most %d code points at %d', (text, maxCodePoints, cut) => {
    expect(graphemeCut(text, maxCodePoints)).toBe(cut)
  })

  it.each([
    ['1000 combining marks', `${'a'.repeat(300)}e${'\u0301'.repeat(1000)}b`, 900, 300],
    ['flags, by twos', `${'🇩🇪'.repeat(600)}🇩`, 1001, 2000],
    ['flags after an odd one', `x${'🇩'.repeat(1001)}`, 500, 997],
    ['a family of hundreds', `ab${'👩\u200d'.repeat(400)}👩`, 500, 2],
    ['one cluster only', `e${'\u0301'.repeat(1000)}`, 900, 900],
  ])('looks back as far as it must: %s', (_, text, maxCodePoints, cut) => {
    expect(graphemeCut(text, maxCodePoints)).toBe(cut)
  })

  it('agrees with the clusters of the whole text, splits no pair and respects the bound, in any text', () => {
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...clusters), { maxLength: 40 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(texts, fc.nat(60), (text, maxCodePoints) => {
        const cut = graphemeCut(text, maxCodePoints)
        expect(cut).toBe(slowCut(text, maxCodePoints))
        expect(countCodePoints(text.slice(0, cut))).toBeLessThanOrEqual(maxCodePoints)
        expect(countCodePoints(text.slice(0, cut)) + countCodePoints(text.slice(cut))).toBe(
          countCodePoints(text),
        )
      }),
      { numRuns: runs(3000) },
    )
  })

  it('takes for plain only what ICU never joins', () => {
    const count = (text: string): number => [...graphemes.segment(text)].length
    const joined: string[] = []
    for (let unit = 0; unit < 0x10000; unit++) {
      const char = String.fromCharCode(unit)
      if (isPlain(unit) && (count(`a${char}a`) !== 3 || count(`${char}${char}`) !== 2))
        joined.push(unit.toString(16))
    }
    expect(joined).toEqual([])
  })
})
