import { countLineEnds, isSpace, trimSpaceBefore } from './characters.ts'
import { isBracketOpen } from './ideographic-stop.ts'
import { languageRulesOf } from './language-rules.ts'
import { sentenceEndingAt } from './sentence-ending.ts'

export type Boundary = 'none' | 'word' | 'sentence' | 'paragraph'

/**
 * The strongest boundary that `text` proves at its end, before the next character is known. Indexes that
 * differ only in white space are the same boundary.
 *
 * White space, or a mark that joins no words, proves a word ("Hello," but not "Hello." or "1,"). A terminator
 * with white space after it, or 。 outside brackets, proves a sentence; an empty line proves a paragraph. One
 * line end proves a sentence after a terminator, a colon, a heading, a list item or a table row, otherwise a
 * word, since prose may be wrapped. Language as in `createSegmenter`. Pass at least the last 256 units; a
 * shorter tail proves less.
 */
export function boundaryAtEnd(text: string, language?: string): Boundary {
  const last = text.charCodeAt(text.length - 1)
  if (!isSpace(last)) return boundaryWithoutSpace(text, last)
  const end = trimSpaceBefore(text, text.length)
  const lineEnds = countLineEnds(text, end, text.length)
  if (lineEnds > 1) return 'paragraph'
  const isOpen = end === 0 || isLatinLetterOrComma(text.charCodeAt(end - 1))
  if (!isOpen && sentenceEndingAt(text, end, languageRulesOf(language)) === 'proven') return 'sentence'
  return lineEnds === 1 && isBlockLine(text, end) ? 'sentence' : 'word'
}

function boundaryWithoutSpace(text: string, last: number): Boundary {
  switch (last) {
    case 0x2c: // ,
    case 0x3b: // ;
      // UAX #29 WB12: these join digits.
      return /\p{Nd}$/u.test(text.slice(-3, -1)) || text.length < 2 ? 'none' : 'word'
    case 0x21: // !
    case 0x3f: // ?
    case 0x3001: // 、
    case 0xff0c: // ，
    case 0xff1a: // ：
    case 0xff1b: // ；
    case 0x300d: // 」
    case 0x300f: // 』
    case 0xff09: // ）
    // These may be doubled (！？), so they end a sentence only with the next character.
    case 0xff01: // ！
    case 0xff1f: // ？
      return 'word'
    case 0x3002: // 。
    case 0xff61: // ｡
      return isBracketOpen(text, text.length) ? 'word' : 'sentence'
    default:
      return 'none'
  }
}

function isLatinLetterOrComma(unit: number): boolean {
  const lower = unit | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || unit === 0x2c
}

/**
 * Whether the line that ends at `end` is a heading, a list item, a table row or an introduction with a colon.
 */
function isBlockLine(text: string, end: number): boolean {
  const last = text.charCodeAt(end - 1)
  if (last === 0x3a || last === 0xff1a) return true
  const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1
  return /^[ \t>]*(?:[-*+•‣◦] |#{1,6} |\||\d{1,3}[.)] )/.test(text.slice(start, Math.min(end, start + 64)))
}
