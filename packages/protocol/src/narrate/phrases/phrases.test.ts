import { describe, expect, test } from 'vitest'
import { fillPlural } from './fill.ts'
import type { NarrationPhrases, PluralPhrase } from './narration-phrases.ts'
import { narrationLanguages, narrationPhrasesFor } from './phrases-for.ts'

type Leaf = readonly [path: string, texts: readonly string[]]

/** Every phrase with its place; the forms of a plural are one phrase. */
function leavesOf(value: unknown, path: string): readonly Leaf[] {
  if (typeof value === 'string') return [[path, [value]]]
  if (typeof value !== 'object' || value === null) return []
  if ('other' in value) return [[path, Object.values(value as PluralPhrase)]]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}/${key}`))
}

const placeholdersOf = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts.flatMap((text) => text.match(/\{\w+\}/g) ?? []))].sort()

const english = new Map(leavesOf(narrationPhrasesFor(['en']), ''))

describe.each(narrationLanguages.map((phrases) => [phrases.language, phrases] as const))(
  '%s',
  (_, phrases) => {
    test('has every phrase, with the words that are filled in', () => {
      const leaves = leavesOf(phrases, '')
      expect(leaves.map(([path]) => path)).toEqual([...english.keys()])
      for (const [path, texts] of leaves) {
        expect([path, placeholdersOf(texts)]).toEqual([path, placeholdersOf(english.get(path) ?? [])])
        expect([path, texts.every((text) => text.trim() !== '')]).toEqual([path, true])
      }
    })

    test('has every plural form that the language needs for whole numbers', () => {
      const plural = new Intl.PluralRules(phrases.language)
      // French and Spanish have a form for millions; nothing here counts that far.
      const needed = new Set(Array.from({ length: 1000 }, (_, n) => plural.select(n + 1)))
      for (const [path, value] of Object.entries(phrases as unknown as Record<string, unknown>)) {
        if (typeof value !== 'object' || value === null || !('other' in value)) continue
        expect([path, [...needed].filter((form) => !(form in value))]).toEqual([path, []])
      }
    })
  },
)

test('only what somebody has read is marked as reviewed', () => {
  const reviewed = narrationLanguages.filter(({ reviewed }) => reviewed).map(({ language }) => language)
  expect(reviewed).toEqual(['en'])
})

test.each<[string[], string]>([
  [[], 'en'],
  [['de'], 'de'],
  [['de-AT', 'fr'], 'de'],
  [['pt-BR', 'fr'], 'fr'],
  [['ZH-Hant-TW'], 'zh'],
  [['tlh'], 'en'],
])('phrases for %j are in %s', (wanted, language) => {
  expect(narrationPhrasesFor(wanted).language).toBe(language)
})

test.each<[string, number, string]>([
  ['en', 1, '1 line behind.'],
  ['en', 12, '12 lines behind.'],
  ['ar', 2, 'تأخر بسطرين.'],
  ['ar', 5, 'تأخر بمقدار 5 أسطر.'],
])('in %s, %i is counted rightly', (language, n, text) => {
  const phrases: NarrationPhrases = narrationPhrasesFor([language])
  expect(fillPlural(phrases.behind, n, language)).toBe(text)
})
