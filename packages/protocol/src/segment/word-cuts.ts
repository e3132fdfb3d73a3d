import { isCloser, isGlue, isOpener, isSpace, isUnspaced } from './characters.ts'
import { segmentStarts } from './segment-starts.ts'

/**
 * The indexes at which text may be cut between words: after white space and, in scripts without spaces, at
 * the boundaries in ICU's dictionaries. Elsewhere punctuation stays with its word, and an address in one
 * piece.
 */
export function wordCuts(text: string, words: Intl.Segmenter): readonly number[] {
  const cuts: number[] = []
  for (const index of segmentStarts(text, words)) {
    if (isWordCut(text.charCodeAt(index - 1), text.charCodeAt(index))) cuts.push(index)
  }
  return cuts
}

function isWordCut(before: number, after: number): boolean {
  if (isSpace(after) || isGlue(after)) return false
  if (isSpace(before)) return true
  if (!isUnspaced(before) && !isUnspaced(after)) return false
  return !isOpener(before) && !isCloser(after) && !/[\p{STerm}\p{Po}]/u.test(String.fromCharCode(after))
}
