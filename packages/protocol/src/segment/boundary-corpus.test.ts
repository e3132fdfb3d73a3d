import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { boundaryAtEnd, createSegmenter, type SegmentUnit } from './index.ts'

const fixtures = new URL('fixtures/', import.meta.url)
const corpus = readdirSync(fixtures).map((name) => ({
  language: name.replace('.txt', ''),
  text: readFileSync(new URL(name, fixtures), 'utf8'),
}))

/** Indexes that differ only in white space are the same boundary; the last index of text identifies it. */
const contentEnd = (text: string, index: number): number => text.slice(0, index).trimEnd().length

function boundariesOf(text: string, unit: SegmentUnit, language: string): ReadonlySet<number> {
  const ends = new Set<number>()
  let index = 0
  for (const segment of createSegmenter(language).split(text, unit)) {
    index += segment.length
    ends.add(contentEnd(text, index))
  }
  return ends
}

describe.each(corpus)('in $language', ({ language, text }) => {
  const sentences = boundariesOf(text, 'sentence', language)
  const paragraphs = boundariesOf(text, 'paragraph', language)
  const prefixEnds = Array.from({ length: text.length }, (_, index) => index + 1)

  it('boundaryAtEnd() claims only boundaries that the whole text has', () => {
    const falseClaims: string[] = []
    const claims = { none: 0, word: 0, sentence: 0, paragraph: 0 }
    const claimed = new Set<number>()
    for (const end of prefixEnds) {
      const tail = text.slice(Math.max(0, end - 256), end)
      const boundary = boundaryAtEnd(tail, language)
      claims[boundary]++
      if (boundary === 'none' || boundary === 'word') continue
      claimed.add(contentEnd(text, end))
      const known = boundary === 'sentence' ? sentences : paragraphs
      if (!known.has(contentEnd(text, end)))
        falseClaims.push(`${boundary} after ${text.slice(0, end).slice(-30)}`)
    }
    console.log(
      `${language}: ${JSON.stringify(claims)}; ${claimed.size} of ${sentences.size} sentence ends claimed`,
    )
    expect(falseClaims).toEqual([])
    expect(claims.sentence).toBeGreaterThan(0)
    expect(claims.paragraph + claims.sentence).toBeGreaterThan(sentences.size / 2)
  })

  it('a word that boundaryAtEnd() claims ends at a word boundary of UAX #29', () => {
    const starts = new Set(
      [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].map(({ index }) => index),
    )
    const isSpaceAround = (end: number): boolean => /\s/.test(text.slice(end - 1, end + 1))
    const wrong = prefixEnds.filter(
      (end) =>
        end < text.length &&
        boundaryAtEnd(text.slice(0, end), language) !== 'none' &&
        !starts.has(end) &&
        !isSpaceAround(end),
    )
    expect(wrong.map((end) => text.slice(0, end).slice(-10))).toEqual([])
  })

  it('split() never takes back a sentence of a text that grows', () => {
    const segmenter = createSegmenter(language)
    const lost = prefixEnds.filter((end) => {
      const last = segmenter.split(text.slice(0, end), 'sentence').at(-1) ?? ''
      const start = contentEnd(text, end - last.length)
      return start > 0 && !sentences.has(start)
    })
    expect(lost.map((end) => text.slice(0, end).slice(-30))).toEqual([])
  })

  it('a paragraph begins a sentence', () => {
    expect([...paragraphs].filter((end) => !sentences.has(end))).toEqual([])
  })
})
