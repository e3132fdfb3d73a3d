import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSegmenter } from '../../segment/segmenter.ts'
import { runs } from '../../testing/runs.ts'
import { cutSentences } from './sentence-cutter.ts'

const unit = fc.oneof(
  fc.constantFrom('.', '!', '?', ':', ';', '。', '؟', '।', '…', '\u2024', ' ', 'a', 'B', '一', '1', '"', ')'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
)
const anyText = fc.array(unit, { maxLength: 20 }).map((units) => units.join(''))

test.each(['en', 'de', 'el', 'ar', 'hi', 'th', 'zh', 'ja'])(
  'cutSentences() cuts behind the last sentence that is over, in %s',
  (language) => {
    const segmenter = createSegmenter(language)
    fc.assert(
      fc.property(anyText, (text) => {
        const segments = segmenter.split(text, 'sentence')
        const isOver = /sentence|paragraph/.test(segmenter.boundaryAtEnd(text))
        const ready = (isOver ? segments : segments.slice(0, -1)).join('')
        expect(cutSentences(text, segmenter)).toEqual({ ready, rest: text.slice(ready.length) })
      }),
      { numRuns: runs(500) },
    )
  },
)
