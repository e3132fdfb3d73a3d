import { endsPhrase, isCloser, isGlue, isLineEnd, isOpener, isSpace } from './characters.ts'
import type { LanguageRules } from './language-rules.ts'

/**
 * How text ends before white space: `proven` (a sentence), `doubtful` (a sentence if a capital follows),
 * `suppressed` (an abbreviation, an ordinal or a list number, never a sentence) or `open` (no terminator).
 */
export type SentenceEnding = 'proven' | 'doubtful' | 'suppressed' | 'open'

/** Judges the characters before `end`; white space follows there. */
export function sentenceEndingAt(text: string, end: number, rules: LanguageRules): SentenceEnding {
  let index = end
  let isBracketed = false
  while (index > 0 && isCloser(text.charCodeAt(index - 1))) {
    index--
    isBracketed ||= /[)\]}）］]/.test(text.charAt(index))
  }
  if (rules.spacesQuotes && text[index] === '»' && isGap(text.charCodeAt(index - 1))) index--
  // "Press `?` to see": the mark is quoted.
  if (index < end && index > 1 && isOpener(text.charCodeAt(index - 2))) return 'suppressed'
  const ending = terminatorAt(text, index, rules)
  // "She (really?) went" continues after its bracket, and in « Fini ? » the closing mark is still to come.
  const goesOn = isBracketed || (rules.spacesQuotes && index === end && isQuoteOpen(text, end))
  return goesOn && ending === 'proven' ? 'doubtful' : ending
}

function isQuoteOpen(text: string, end: number): boolean {
  const tail = text.slice(Math.max(0, end - 256), end)
  return tail.lastIndexOf('«') > tail.lastIndexOf('»')
}

const isGap = (unit: number): boolean => isSpace(unit) || isGlue(unit)

function terminatorAt(text: string, end: number, rules: LanguageRules): SentenceEnding {
  const unit = text.charCodeAt(end - 1)
  if (unit === 0x2e) return periodAt(text, end, rules)
  if (unit === 0x21 || unit === 0x3f) return 'proven'
  if (unit === 0x3b) return rules.semicolonAsks ? 'proven' : 'open'
  // An ellipsis is a pause; UAX #29 gives the single character no role at all.
  if (unit === 0x2026) return 'doubtful'
  if (unit < 0x80 || end === 0) return 'open'
  if (endsPhrase(unit)) return 'proven'
  const isLowSurrogate = (unit & 0xfc00) === 0xdc00
  return /\p{STerm}$/u.test(text.slice(end - (isLowSurrogate ? 2 : 1), end)) ? 'proven' : 'open'
}

function periodAt(text: string, end: number, rules: LanguageRules): SentenceEnding {
  const start = tokenStart(text, end)
  const token = text.slice(start, end).normalize('NFC')
  const word = { text, start, end, token }
  if (token.endsWith('..') || rules.periodPauses) return 'doubtful'
  if (!/[\p{L}\p{N}]/u.test(token)) {
    // "Run `npm test`." as opposed to an isolated full stop.
    return start > 0 && isCloser(text.charCodeAt(start - 1)) ? 'proven' : 'doubtful'
  }
  const listed = abbreviationAt(word, rules)
  if (listed !== undefined) return listed
  if (isNumber(token)) return isOrdinal(word, rules) ? 'suppressed' : 'proven'
  if (rules.hasOrdinals && /^[IVX]+\.$/.test(token)) return 'suppressed'
  if (isInitial(token) || endsPhrase(text.charCodeAt(end - 2))) return 'suppressed'
  return isDotted(token) ? 'doubtful' : 'proven'
}

/** A word before a period. */
interface Word {
  readonly text: string
  readonly start: number
  readonly end: number
  /** The characters between, with the period. */
  readonly token: string
}

function abbreviationAt(word: Word, rules: LanguageRules): SentenceEnding | undefined {
  const { token } = word
  if (rules.words.has(token)) return 'proven'
  const small = token.toLowerCase()
  if (rules.doubtful.has(token) || rules.doubtful.has(small)) return 'doubtful'
  if (rules.suppressed.has(token) || rules.suppressed.has(small)) return 'suppressed'
  return endsWithPhrase(word, rules) ? 'suppressed' : undefined
}

/** "z. B.", "до н. э.": the listed abbreviations have up to three words. */
function endsWithPhrase({ text, start, end }: Word, rules: LanguageRules): boolean {
  let from = start
  for (let words = 2; words <= 3; words++) {
    const gap = text.charCodeAt(from - 1)
    if (from === 0 || !(gap === 0x20 || isGlue(gap)) || text.charCodeAt(from - 2) !== 0x2e) return false
    from = tokenStart(text, from - 1)
    if (rules.suppressed.has(text.slice(from, end).normalize('NFC').replace(/\s/g, ' '))) return true
  }
  return false
}

/** Where the word that ends at `end` starts. Words longer than any abbreviation are cut. */
function tokenStart(text: string, end: number): number {
  let index = end
  while (index > 0 && end - index < maxTokenUnits) {
    const unit = text.charCodeAt(index - 1)
    if (isGap(unit) || unit === 0x2014 || isOpener(unit)) break
    index--
  }
  return index
}

/** Whether only indentation and Markdown's block marks come between the start of the line and `index`. */
function isLineStart(text: string, index: number): boolean {
  for (let before = index - 1; before >= 0; before--) {
    const unit = text.charCodeAt(before)
    if (isLineEnd(unit)) return true
    if (!isSpace(unit) && !'>#*-+_'.includes(String.fromCharCode(unit))) return false
  }
  return true
}

/** A list number, or an ordinal in a language that writes "am 3. Mai". */
function isOrdinal({ text, start, token }: Word, rules: LanguageRules): boolean {
  return (rules.hasOrdinals && token.length <= 3) || isLineStart(text, start)
}

const maxTokenUnits = 24

const isNumber = (token: string): boolean => /^\p{Nd}{1,3}\.$/u.test(token)

/** One capital, or one letter of a script without case. An ideograph is a word. */
const isInitial = (token: string): boolean =>
  /^[\p{Lu}\p{Lo}]\p{M}*\.$/u.test(token) && !/^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(token)

/** "p.", "e.g.", "U.S.", "f.eks.", but not "example.com.". */
const isDotted = (token: string): boolean =>
  /^\p{Ll}\p{M}*\.$/u.test(token) || /^(?:-?(?:\p{L}\p{M}*){1,3}\.){2,}$/u.test(token)
