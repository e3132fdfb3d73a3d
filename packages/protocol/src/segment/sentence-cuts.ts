import {
  endsPhrase,
  isGlue,
  isLineEnd,
  isOpener,
  isSpace,
  isUnspaced,
  trimSpaceBefore,
} from './characters.ts'
import { isBracketOpen, isIdeographicStop } from './ideographic-stop.ts'
import type { LanguageRules } from './language-rules.ts'
import { segmentStarts } from './segment-starts.ts'
import { sentenceEndingAt } from './sentence-ending.ts'

/**
 * The indexes at which sentences begin: the boundaries of UAX #29, without those after abbreviations, and
 * with those that it misses because a small letter follows somewhere after a digit, a quotation mark or a
 * dash ("Done. 5 left").
 */
export function sentenceCuts(
  text: string,
  sentences: Intl.Segmenter,
  rules: LanguageRules,
): readonly number[] {
  const kept: number[] = []
  for (const index of segmentStarts(text, sentences)) {
    if (isKept(text, index, rules)) kept.push(withoutOpeners(text, index))
  }
  return [...kept, ...missedCuts(text, rules)].sort((a, b) => a - b)
}

function isKept(text: string, index: number, rules: LanguageRules): boolean {
  // UAX #29 SB4
  if (isLineEnd(text.charCodeAt(index - 1))) return true
  const end = trimSpaceBefore(text, index)
  if (end === index && isInsideToken(text, index)) return false
  const ending = sentenceEndingAt(text, end, rules)
  if (ending === 'doubtful') return isCapital(firstLetterAt(text, index))
  return ending !== 'suppressed'
}

// UAX #29 ends a sentence in the middle of "/search?q=1" and of "list.First".
function isInsideToken(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1)
  return (before < 0x80 || isGlue(before)) && !isUnspaced(text.charCodeAt(index))
}

// UAX #29 gives opening marks the class Close: in 。「 it ends the sentence after the bracket.
function withoutOpeners(text: string, index: number): number {
  let cut = index
  while (cut > 0 && /[\p{Ps}\p{Pi}]/u.test(text.charAt(cut - 1))) cut--
  return cut
}

function missedCuts(text: string, rules: LanguageRules): readonly number[] {
  const cuts: number[] = []
  for (let index = 1; index < text.length; index++) {
    const before = text.charCodeAt(index - 1)
    if (
      isSpace(before) ? endsBeforeSpace(text, index, rules) : endsWithIdeographicStop(text, index, before)
    ) {
      cuts.push(index)
    }
  }
  return cuts
}

function endsBeforeSpace(text: string, index: number, rules: LanguageRules): boolean {
  if (isSpace(text.charCodeAt(index))) return false
  const end = trimSpaceBefore(text, index)
  if (sentenceEndingAt(text, end, rules) !== 'proven' || continues(text, index)) return false
  return endsPhrase(text.charCodeAt(end - 1)) || !/^\p{Ll}/u.test(charAt(text, index))
}

function endsWithIdeographicStop(text: string, index: number, before: number): boolean {
  return isIdeographicStop(before) && !continues(text, index) && !isBracketOpen(text, index)
}

/** Whether the mark at `index` belongs to the sentence before it. */
function continues(text: string, index: number): boolean {
  return /^[\s\p{M}\p{STerm}\p{Pe},;:،、，；：]/u.test(charAt(text, index))
}

function firstLetterAt(text: string, index: number): string {
  let start = index
  while (start < text.length && (isOpener(text.charCodeAt(start)) || isGlue(text.charCodeAt(start)))) start++
  return charAt(text, start)
}

const isCapital = (char: string): boolean => /^[\p{Lu}\p{Lt}\p{Lo}]/u.test(char)

const charAt = (text: string, index: number): string => text.slice(index, index + 2)
