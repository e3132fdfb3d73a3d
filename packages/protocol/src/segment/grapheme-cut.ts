import { indexOfCodePoint, nextCodePoint } from './code-points.ts'

/**
 * The UTF-16 index at which to cut `text` so that the first part has at most `maxCodePoints` code points and
 * ends between two grapheme clusters. A first cluster that is longer than the bound is cut between two code
 * points.
 */
export function graphemeCut(text: string, maxCodePoints: number): number {
  if (text.length <= maxCodePoints) return text.length
  const limit = indexOfCodePoint(text, maxCodePoints)
  if (limit === 0 || limit === text.length || isPlainPair(text, limit)) return limit
  let start = limit - 1
  while (start > 0 && !isPlainPair(text, start)) start--
  // The rules of UAX #29 §3.1.1 look one code point ahead and any number back.
  const around = text.slice(start, nextCodePoint(text, limit))
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(around)
  const cut = start + (graphemes.containing(limit - start)?.index ?? 0)
  return cut > 0 ? cut : limit
}

/** Whether a boundary between two clusters comes before `index`, whatever the rest of the text is. */
function isPlainPair(text: string, index: number): boolean {
  return isPlain(text.charCodeAt(index - 1)) && isPlain(text.charCodeAt(index))
}

/** Whether this unit joins neither its predecessor nor, unless that is an extender, its successor. */
export function isPlain(unit: number): boolean {
  if (unit < 0x80) return unit >= 0x20 && unit < 0x7f
  return plainRanges.some(([first, last]) => unit >= first && unit <= last)
}

const plainRanges: readonly (readonly [first: number, last: number])[] = [
  [0xc0, 0x2ff], // Latin
  [0x370, 0x482], // Greek, Cyrillic
  [0x48a, 0x58f], // Cyrillic, Armenian
  [0x5d0, 0x5ea], // Hebrew
  [0x620, 0x64a], // Arabic
  [0x904, 0x939], // Devanagari letters
  [0xe01, 0xe30], // Thai consonants
  [0x1e00, 0x1fff], // Latin, Greek
  [0x3001, 0x3029], // ideographic punctuation
  [0x3041, 0x3096], // Hiragana
  [0x30a1, 0x30fc], // Katakana
  [0x3400, 0x9fff], // Han
  [0xac00, 0xd7a3], // Hangul syllables
]
