import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../testing/runs.ts'
import { aaepLanguages, aaepPhrasesFor } from './languages.ts'
import { matchLanguage } from './match-language.ts'

describe('matchLanguage', () => {
  test.each([
    ['the same tag', ['de-AT'], ['de', 'de-AT'], 'de-AT'],
    ['the same tag in other letters', ['DE-at'], ['de', 'de-AT'], 'de-AT'],
    ['a language for its region', ['en'], ['fr', 'en-US'], 'en-US'],
    ['a region for its language', ['en-GB'], ['fr', 'en'], 'en'],
    ['the usual region before others', ['en'], ['en-GB', 'en-US'], 'en-US'],
    ['another region', ['pt-BR'], ['es', 'pt-PT'], 'pt-PT'],
    ['another region in the same script before another script', ['zh-TW'], ['zh-CN', 'zh-HK'], 'zh-HK'],
    ['another script before the next language', ['zh-TW', 'en'], ['en', 'zh'], 'zh'],
    ['the script that a region is written in', ['sr-ME'], ['sr', 'sr-Latn'], 'sr-Latn'],
    ['the next language', ['yo', 'fr-CA'], ['en', 'fr'], 'fr'],
    ['nothing that is only related', ['nl'], ['de'], undefined],
    ['nothing to an unknown language', ['und'], ['en', 'de'], undefined],
    ['an unknown language as itself', ['und'], ['en', 'und'], 'und'],
    ['nothing when nothing is offered', ['en'], [], undefined],
    ['a tag that is none, as itself', ['x'], ['en', 'X'], 'X'],
  ])('takes %s', (_name, wanted, offered, found) => {
    expect(matchLanguage(wanted, offered)).toBe(found)
  })

  test('takes the fallbacks of the producer last, in their order', () => {
    expect(matchLanguage(['yo'], ['en', 'fr'], ['de', 'fr-CA', 'en'])).toBe('fr')
    expect(matchLanguage(['en'], ['en', 'fr'], ['fr'])).toBe('en')
  })

  test('answers with one of those that are offered, whatever they are', () => {
    const tag = fc.oneof(
      fc.constantFrom('en', 'en-US', 'zh-Hant', 'sr-Latn-RS', 'und', 'i', 'x-a', 'de-1996', ''),
      fc.string(),
    )
    const tags = fc.array(tag, { maxLength: 4 })
    fc.assert(
      fc.property(tags, tags, tags, (wanted, offered, chain) => {
        const found = matchLanguage(wanted, offered, chain)
        expect(found === undefined || offered.includes(found)).toBe(true)
        const [first] = wanted
        if (first !== undefined && offered.includes(first))
          expect(found?.toLowerCase()).toBe(first.toLowerCase())
      }),
      { numRuns: runs(300) },
    )
  })
})

test('aaepPhrasesFor() speaks the closest language, else English', () => {
  expect(aaepLanguages[0]).toBe('en')
  expect(aaepLanguages).toEqual(expect.arrayContaining(['ar', 'de', 'es', 'fr', 'zh']))
  expect(aaepPhrasesFor(['de-CH']).language).toBe('de')
  expect(aaepPhrasesFor(['yo', 'ar-EG', 'en']).language).toBe('ar')
  expect(aaepPhrasesFor(['zh-Hant-TW']).language).toBe('zh')
  expect(aaepPhrasesFor(['yo']).language).toBe('en')
  expect(aaepPhrasesFor([]).language).toBe('en')
})
