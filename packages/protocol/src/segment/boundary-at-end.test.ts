import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../testing/runs.ts'
import { type Boundary, boundaryAtEnd } from './boundary-at-end.ts'

type Row = readonly [text: string, boundary: Boundary, language?: string]

const claims: Record<string, readonly Row[]> = {
  'a word that may go on': [
    ['', 'none'],
    ['Hello', 'none'],
    ['Hello.', 'none'],
    ['3.', 'none'],
    ['3,', 'none'],
    ['٣,', 'none'],
    ['well-', 'none'],
    ['10\u00a0', 'none'],
    ['終わ', 'none'],
    ['สวัสดี', 'none'],
  ],
  'a word that is over': [
    [' ', 'word'],
    ['Hello ', 'word'],
    ['Hello, ', 'word'],
    ['Hello,', 'word'],
    ['Hello!', 'word'],
    ['Hello?', 'word'],
    ['3.14 ', 'word'],
    ['終わり、', 'word'],
    ['終わり　', 'word'],
    ['Grüße\u2003', 'word'],
  ],
  'a sentence behind a terminator': [
    ['Hello. ', 'sentence'],
    ['Hello.  ', 'sentence'],
    ['Hello.\t', 'sentence'],
    ['Really?! ', 'sentence'],
    ['He said "no." ', 'sentence'],
    ['Er sagte „nein.“ ', 'sentence', 'de'],
    ['« Non. » ', 'sentence', 'fr'],
    ['« Non\u00a0! ', 'word', 'fr'],
    ['Non\u00a0! ', 'sentence', 'fr'],
    ['**Done.** ', 'sentence'],
    ['Run `npm test`. ', 'sentence'],
    ['See example.com. ', 'sentence'],
    ['It costs 3.14. ', 'sentence'],
    ['Version 3. ', 'sentence'],
    ['In 2024. ', 'sentence'],
  ],
  'no sentence behind an abbreviation': [
    ['Dr. ', 'word'],
    ['(Dr. ', 'word'],
    ['for e.g. ', 'word'],
    ['at 9 p.m. ', 'word'],
    ['J. ', 'word'],
    ['apples, pears etc. ', 'word'],
    ['z. B. ', 'word', 'de'],
    ['z.\u00a0B. ', 'word', 'de'],
    ['500 v. Chr. ', 'word', 'de-AT'],
    ['la Sra. ', 'word', 'es'],
    ['éd. ', 'word', 'fr'],
    ['e\u0301d. ', 'word', 'fr'],
    ['до н. э. ', 'word', 'ru'],
    ['डॉ. ', 'word', 'hi'],
    ['د. ', 'word', 'ar'],
    ['ดร. ', 'word', 'th'],
  ],
  'a sentence behind a word that CLDR takes for an abbreviation': [
    ['Choose Sign In. ', 'sentence', 'en'],
    ['Press OK. ', 'sentence'],
    ['Das war ein Test. ', 'sentence', 'de'],
  ],
  'no sentence behind a number that counts': [
    ['1. ', 'word'],
    ['Steps:\n  12. ', 'word'],
    ['> - 3. ', 'word'],
    ['am 3. ', 'word', 'de'],
    ['Ludwig XIV. ', 'word', 'de'],
    ['I have 3. ', 'sentence', 'en'],
  ],
  'no sentence behind a pause or a quoted mark': [
    ['Wait... ', 'word'],
    ['Wait… ', 'word'],
    ['Press `?` ', 'word'],
    ['the "." ', 'word'],
    ['She (really?) ', 'word'],
    [' . ', 'word'],
  ],
  'a line': [
    ['Roses are red\n', 'word'],
    ['Roses are red.\n', 'sentence'],
    ['- milk\n', 'sentence'],
    ['  * milk\r\n', 'sentence'],
    ['2) milk\n', 'sentence'],
    ['## Milk\n', 'sentence'],
    ['| a | b |\n', 'sentence'],
    ['The steps are:\n', 'sentence'],
    ['milk\n  ', 'word'],
    ['Dr.\n', 'word'],
  ],
  'a paragraph': [
    ['a\n\n', 'paragraph'],
    ['a.\n \t\n', 'paragraph'],
    ['a\r\n\r\n', 'paragraph'],
    ['a\r\n', 'word'],
    ['a\n\n  ', 'paragraph'],
    ['a\u2029', 'paragraph'],
    ['\n\n', 'paragraph'],
  ],
  'scripts with their own marks': [
    ['終わり。', 'sentence', 'ja'],
    ['「終わり。', 'word', 'ja'],
    ['「終わり。」', 'word', 'ja'],
    ['「はい」と言った。', 'sentence', 'ja'],
    ['他说："好。', 'word', 'zh'],
    ['本当！', 'word', 'ja'],
    ['本当！ ', 'sentence', 'ja'],
    ['你好吗？\n', 'sentence', 'zh'],
    ['ما هذا؟ ', 'sentence', 'ar'],
    ['یہ ہے۔ ', 'sentence', 'ur'],
    ['यह है। ', 'sentence', 'hi'],
    ['Ոչ։ ', 'sentence', 'hy'],
    ['Ոչ. ', 'word', 'hy'],
    ['አንድ። ', 'sentence', 'am'],
    ['𑄚𑅃 ', 'sentence', 'ccp'],
    ['Τι; ', 'sentence', 'el'],
    ['Τι; ', 'word', 'en'],
    ['Ẹ ku àárọ̀. ', 'sentence', 'yo'],
  ],
  'Thai, where a space ends a phrase': [
    ['สวัสดีครับ ', 'sentence', 'th'],
    ['สวัสดีครับ ', 'sentence'],
    ['เร็วๆ ', 'word', 'th'],
    ['กรุงเทพฯ ', 'word', 'th'],
    ['มี ๕ ', 'word', 'th'],
    ['ສະບາຍດີ ', 'sentence', 'lo'],
  ],
}

describe('boundaryAtEnd()', () => {
  for (const [name, rows] of Object.entries(claims)) {
    for (const [text, boundary, language] of rows) {
      it(`finds ${name}: ${JSON.stringify(text)} is ${boundary} in ${language ?? 'und'}`, () => {
        expect(boundaryAtEnd(text, language)).toBe(boundary)
      })
    }
  }

  it('takes a missing, unknown or malformed language for English', () => {
    for (const tag of [undefined, 'und', '', 'x', '-', '123', '\0', 'i-klingon', 'a'.repeat(1000)]) {
      expect(boundaryAtEnd('Capt. ', tag)).toBe('word')
      expect(boundaryAtEnd('Das kostet 20 Pfd. ', tag)).toBe('sentence')
    }
  })

  it('reads the primary language of a tag in any case', () => {
    for (const tag of ['de', 'DE', 'de-AT', 'de_CH', 'de-Latn-x-private']) {
      expect(boundaryAtEnd('Das kostet 20 Pfd. ', tag)).toBe('word')
    }
  })

  it('never throws, whatever the text and the language', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)))
    const marks = fc.array(
      fc.constantFrom('.', ' ', '\n', '\r', '。', '"', ')', '「', '1', 'a', 'ก', '\ud83d'),
    )
    fc.assert(
      fc.property(fc.oneof(units, marks), fc.string(), (parts, language) => {
        expect(['none', 'word', 'sentence', 'paragraph']).toContain(boundaryAtEnd(parts.join(''), language))
      }),
      { numRuns: runs(2000) },
    )
  })
})
