import { type Boundary, boundaryAtEnd } from './boundary-at-end.ts'
import { languageRulesOf, primaryLanguage } from './language-rules.ts'
import { paragraphCuts } from './paragraph-cuts.ts'
import { sentenceCuts } from './sentence-cuts.ts'
import { wordCuts } from './word-cuts.ts'

export type SegmentUnit = Exclude<Boundary, 'none'>

/** Segments text of one language and keeps each `Intl.Segmenter` that it needed. */
export interface TextSegmenter {
  /** What `text` proves at its end, like the function of that name. */
  boundaryAtEnd(text: string): Boundary
  /**
   * The segments of `text`, in order; joined, they are `text`. White space belongs to the segment before it,
   * indentation to the one after it. In sentences and paragraphs of a growing text, all segments but the last
   * are final.
   */
  split(text: string, unit: SegmentUnit): readonly string[]
}

/**
 * Creates a segmenter for a BCP 47 tag, by its primary language. Without one, or with `und` or a malformed
 * tag, it uses the rules of English: those of UAX #29 without tailoring, and English abbreviations.
 */
export function createSegmenter(language?: string): TextSegmenter {
  const rules = languageRulesOf(language)
  const locale = segmenterLocale(language)
  let sentences: Intl.Segmenter | undefined
  let words: Intl.Segmenter | undefined
  const cutsOf = (text: string, unit: SegmentUnit): readonly number[] => {
    switch (unit) {
      case 'paragraph':
        return paragraphCuts(text)
      case 'sentence':
        sentences ??= new Intl.Segmenter(locale, { granularity: 'sentence' })
        return sentenceCuts(text, sentences, rules)
      case 'word':
        words ??= new Intl.Segmenter(locale, { granularity: 'word' })
        return wordCuts(text, words)
    }
  }
  return {
    boundaryAtEnd: (text) => boundaryAtEnd(text, language),
    split: (text, unit) => sliceAt(text, cutsOf(text, unit)),
  }
}

// `und` and languages that ICU does not know would resolve to the locale of the host, which may be Greek.
function segmenterLocale(language: string | undefined): string {
  const primary = primaryLanguage(language)
  try {
    return Intl.Segmenter.supportedLocalesOf(primary)[0] ?? 'en'
  } catch {
    return 'en'
  }
}

/**
 * Slices at ascending indexes. A slice of only white space joins the one before it, or the first one after
 * it.
 */
function sliceAt(text: string, cuts: readonly number[]): readonly string[] {
  const segments: string[] = []
  let start = 0
  let pending = ''
  for (const cut of [...cuts, text.length]) {
    if (cut <= start) continue
    const slice = text.slice(start, cut)
    start = cut
    if (slice.trim() !== '') segments.push(pending + slice)
    else if (segments.length > 0) segments.push(`${segments.pop()}${slice}`)
    if (segments.length === 0) pending += slice
    else pending = ''
  }
  return pending === '' ? segments : [...segments, pending]
}
