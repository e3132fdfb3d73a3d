import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { segmentStarts } from './segment-starts.ts'

const read = (language: string): string =>
  readFileSync(new URL(`fixtures/${language}.txt`, import.meta.url), 'utf8')

it.each([
  ['sentence', 'en'],
  ['sentence', 'ja'],
  ['sentence', 'hi'],
  ['word', 'en'],
  ['word', 'ar'],
  ['word', 'yo'],
] as const)(
  'segmentStarts() finds the same %s boundaries in windows as in the whole text, in %s',
  (granularity, language) => {
    const segmenter = new Intl.Segmenter(language, { granularity })
    const text = read(language).repeat(12)
    const whole = Array.from(segmenter.segment(text), ({ index }) => index).slice(1)
    expect([...segmentStarts(text, segmenter)]).toEqual(whole)
    expect(whole.length).toBeGreaterThan(50)
  },
)

it('segmentStarts() widens its window for a segment that is longer', () => {
  const words = new Intl.Segmenter('en', { granularity: 'word' })
  const text = `${'a'.repeat(5000)} ${'b'.repeat(3000)}`
  expect([...segmentStarts(text, words)]).toEqual([5000, 5001])
})

it('segmentStarts() trusts no boundary that the end of a window made', () => {
  const words = new Intl.Segmenter('en', { granularity: 'word' })
  for (let padding = 1000; padding < 1030; padding++) {
    const text = `${'a '.repeat(padding / 2)}${padding % 2 === 1 ? '-' : ''}can't 3.14 e\u0301\u0301 🇩🇪🇫🇷 end`
    const whole = Array.from(words.segment(text), ({ index }) => index).slice(1)
    expect([...segmentStarts(text, words)]).toEqual(whole)
  }
})
