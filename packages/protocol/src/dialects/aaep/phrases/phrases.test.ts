import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createChecker } from '../../../schemas/check.ts'
import { allPhrases } from '../phrases.generated.ts'
import { englishPhrases } from './languages.ts'
import { type AaepPhrases, type CountedText, phrasesSchema } from './schema.ts'

const files = readdirSync(new URL('./', import.meta.url)).filter((name) => name.endsWith('.json'))

const guide = readFileSync(
  new URL('../../../../../../docs/guides/add-a-language.md', import.meta.url),
  'utf8',
)

const checker = createChecker(phrasesSchema, 'phrases')

/** Every text of a language by its place, such as `tools/build/normal`; plural forms share one place. */
function textsOf(phrases: AaepPhrases): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, readonly string[]>()
  for (const part of ['sentences', 'tools'] as const)
    for (const [key, sentence] of Object.entries(phrases[part]))
      for (const [level, text] of Object.entries(sentence))
        texts.set(`${part}/${key}/${level}`, formsOf(text as CountedText)) // the schema has nothing else here
  for (const [key, text] of Object.entries(phrases.fields)) texts.set(`fields/${key}`, [text])
  return texts
}

function formsOf(text: CountedText): readonly string[] {
  return typeof text === 'string' ? [text] : Object.values(text)
}

function placesIn(text: string): readonly string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort()
}

test('phrases.generated.ts is what the generator writes', () => {
  const script = fileURLToPath(new URL('../../../../../../scripts/generate-phrases.mjs', import.meta.url))
  const written = readFileSync(new URL('../phrases.generated.ts', import.meta.url), 'utf8')
  expect(execFileSync(process.execPath, [script, '--print'], { encoding: 'utf8' })).toBe(written)
})

test.each(files)('%s is named after its language and fits the schema', (name) => {
  const value: unknown = JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
  expect(checker.exactFindings(value)).toEqual([])
  const { $schema, language } = value as AaepPhrases // just checked
  expect({ $schema, name }).toEqual({
    $schema: 'urn:sluice:schema:aaep:phrases',
    name: `${language.toLowerCase()}.json`,
  })
})

test('the schema finds a missing sentence, an unknown one and an empty one', () => {
  const { started, ...others } = englishPhrases.sentences
  const codesOf = (sentences: object) =>
    checker.exactFindings({ ...englishPhrases, sentences }).map(({ code, path }) => `${code} ${path}`)
  expect(codesOf(others)).toEqual(['missing_field /sentences/started'])
  expect(codesOf({ ...others, started, other: started })).toContain('unexpected_field /sentences')
  expect(codesOf({ ...others, started: { ...started, terse: '' } })).not.toEqual([])
})

describe.each(allPhrases.map((phrases) => [phrases.language, phrases] as const))(
  '%s',
  (language, phrases) => {
    test('says at every level what English says, with the same places', () => {
      const english = textsOf(englishPhrases)
      const own = textsOf(phrases)
      expect([...own.keys()].sort()).toEqual([...english.keys()].sort())
      for (const [place, forms] of own) {
        const [first = ''] = english.get(place) ?? []
        for (const form of forms) {
          const places = placesIn(form)
          // A form for one or two may spell out the number.
          const expected = places.length === 0 && forms.length > 1 ? [] : placesIn(first)
          expect(places, place).toEqual(expected)
        }
        expect(placesIn(forms.at(-1) ?? ''), place).toEqual(placesIn(first))
      }
    })

    test('has a plural form for every number that is counted', () => {
      const plurals = new Intl.PluralRules(language)
      const known: readonly string[] = plurals.resolvedOptions().pluralCategories
      const counted = Object.entries(phrases.sentences).flatMap(([key, sentence]) =>
        Object.values(sentence)
          .filter((text): text is Exclude<CountedText, string> => typeof text !== 'string')
          .map((text) => ({ key, text })),
      )
      for (const { key, text } of counted) {
        expect(
          Object.keys(text).filter((category) => !known.includes(category)),
          key,
        ).toEqual([])
        for (let count = 0; count <= 120; count++) expect(text, key).toHaveProperty(plurals.select(count))
      }
    })

    test('consists of whole sentences, composed, and terse ones are no longer than the others', () => {
      for (const [place, forms] of textsOf(phrases))
        for (const form of forms) {
          expect(form, place).toMatch(/^[\p{Lu}\p{Lo}{].*[.。]$/u)
          expect(form, place).toBe(form.normalize('NFC').trim())
        }
      for (const part of [phrases.sentences, phrases.tools])
        for (const { terse, normal } of Object.values(part))
          if (typeof terse === 'string' && typeof normal === 'string')
            expect(terse.length, terse).toBeLessThanOrEqual(normal.length)
    })

    test('is written in the direction of its letters', () => {
      const letters = JSON.stringify(phrases.sentences)
      const isRightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thaana}\p{Script=Nko}]/u.test(
        letters,
      )
      expect(phrases.direction).toBe(isRightToLeft ? 'rtl' : 'ltr')
    })

    test('says whether somebody has read it, and the guide says the same', () => {
      expect(phrases.reviewed || phrases.reviewedBy === undefined).toBe(true)
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${language.toLowerCase()}.json\``))
      expect(row?.split('|').at(-2)?.trim()).toBe(phrases.reviewed ? 'yes' : 'not yet')
    })
  },
)
