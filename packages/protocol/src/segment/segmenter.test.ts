import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../testing/runs.ts'
import { createSegmenter, type SegmentUnit } from './segmenter.ts'

const segment = (text: string, unit: SegmentUnit, language?: string) =>
  createSegmenter(language).split(text, unit)

const sentenceGoldens: readonly (readonly [language: string, marked: string])[] = [
  ['en', 'Dr. Who met J. R. Smith at 9 a.m. on Monday. |He left. |5 of them stayed, e.g. Tom. |Done!'],
  ['en', 'Wait... what? |Wait... |What? |"No." |Then he (really?) went. |See Fig. 3, pp. 4 to 5.'],
  ['en', 'Open https://a.example/search?q=Is.It in list.First now. |Run `npm test`. |Press `?` to see.'],
  ['en', 'Steps:\n\n|1. First. |Then wait.\n|2. Second\n\n|- milk\n|  - eggs'],
  ['de', 'Herr Dr. Müller kam am 3. Mai, d. h. z. B. mit Prof. Weber. |„Ja.“ |Das war ein Test. |Ende.'],
  ['es', '¿Quién es el Sr. García? |¡Nadie! |En EE. UU. se paga más. |«No.» |Fin.'],
  ['fr', 'M. Dupont a dit : « Est-ce fini ? » |Voir éd. 3 et chap. 2. |Merci\u00a0! |Fin.'],
  ['yo', 'Ẹ ku àárọ̀. |Ṣé o sun re?'],
  ['ar', 'وصل د. أحمد أمس. |هل قرأت التقرير؟ |نعم، قرأته.'],
  ['th', 'สวัสดีครับ |วันนี้อากาศดีมาก |ดร. สมชายมาเร็วๆ นี้'],
  ['ja', '今日は2.4です。|明日は？|本当！？|「はい。」|彼は言った。|「終わり」と。'],
  ['zh', '今天很好。|你去吗？|他说：“我来了。”|价格是3.14元。|-x 是选项。'],
  ['hi', 'डॉ. शर्मा आए। |क्या आप जाएँगे? |हाँ!'],
  ['el', 'Είσαι έτοιμος; |Ναι, ο Δρ. Παππάς ήρθε.'],
  ['hy', 'Սխալ. պատճառն անհայտ է։ |Վերջ։'],
  ['und', 'Mr. Smith left. |Él no.'],
]

const wordGoldens: readonly (readonly [language: string, marked: string])[] = [
  ['en', '"Hello, |world!" |he |said |(see |https://a.b/c?d=e).\n|End'],
  ['fr', 'Dix |mille\u00a0euros\u00a0! |Oui.'],
  ['ja', '「東京」|に|住む。|はい'],
  ['zh', '你好，|世界！|好'],
  ['th', 'สวัสดี|ครับ |โลก'],
]

const paragraphGoldens = [
  'a\nb\n\n|c',
  'a\r\n\r\n|b\r\nc',
  'a\n \t\n\n|  b',
  '\n\na\n\n|b',
  'a\u2029|b',
  '\n\n',
]

describe('split()', () => {
  it.each(sentenceGoldens)('into sentences, %s: %j', (language, marked) => {
    expect(segment(marked.replaceAll('|', ''), 'sentence', language)).toEqual(marked.split('|'))
  })

  it.each(wordGoldens)('into words, %s: %j', (language, marked) => {
    expect(segment(marked.replaceAll('|', ''), 'word', language)).toEqual(marked.split('|'))
  })

  it.each(paragraphGoldens)('into paragraphs: %j', (marked) => {
    expect(segment(marked.replaceAll('|', ''), 'paragraph')).toEqual(marked.split('|'))
  })

  it('gives no segment for an empty text', () => {
    expect(segment('', 'sentence')).toEqual([])
  })

  it('loses nothing and gives no segment of white space alone, in any text, unit and language', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)))
    const marks = fc.array(
      fc.constantFrom(
        '. ',
        'Dr. ',
        '\n',
        '\r\n',
        ' ',
        '。',
        '「',
        '」',
        'A',
        'b',
        '5',
        'ไทย',
        '\ud83d',
        '？',
        '\u00a0',
      ),
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      units.map((all) => all.join('')),
      marks.map((all) => all.join('')),
    )
    const unit = fc.constantFrom<SegmentUnit>('word', 'sentence', 'paragraph')
    fc.assert(
      fc.property(texts, unit, fc.constantFrom('en', 'de', 'th', 'ja', '', 'x-y'), (text, kind, language) => {
        const segments = segment(text, kind, language)
        expect(segments.join('')).toBe(text)
        expect(segments.filter((each) => each.trim() === '').length).toBe(
          text !== '' && text.trim() === '' ? 1 : 0,
        )
      }),
      { numRuns: runs(2000) },
    )
  })

  it('accepts any string as a language', () => {
    for (const tag of [
      'en_US',
      'i-klingon',
      '__proto__',
      'constructor',
      'de-',
      '\0',
      'zz-zz-zz',
      'x'.repeat(9),
    ]) {
      expect(createSegmenter(tag).split('Mr. X. Yes.', 'sentence').join('')).toBe('Mr. X. Yes.')
    }
    fc.assert(fc.property(fc.string(), (tag) => createSegmenter(tag).split('a b', 'word').length === 2))
  })

  it('takes time in proportion to the length of the text', () => {
    const segmenter = createSegmenter('en')
    for (const part of ['\n', 'a ', '1. ', ') ', 'A. ', '。']) {
      // In quadratic time, each of these took a minute.
      const started = performance.now()
      segmenter.split(part.repeat(50_000), 'word')
      segmenter.split(part.repeat(50_000), 'sentence')
      expect(performance.now() - started).toBeLessThan(10_000)
    }
  })
})
