import type { TextSegmenter } from '../../segment/segmenter.ts'

/** Longer text is spoken even if no sentence has ended. */
const maxPendingLength = 2000

/**
 * The ends of sentences in any language. Thai and Lao phrases end with a space. Text without any of these is
 * not segmented again and again.
 */
const terminator = /[\p{Sentence_Terminal}:;\u037e\u2024\u2026\n\r\u0085\u2028\u2029]|[\u0e00-\u0eff]\s/u

/** A growing text, cut in two: the part that can be spoken and the part that must wait. */
export interface SentenceCut {
  readonly ready: string
  readonly rest: string
}

/** Cuts after the last complete sentence that may stand alone. */
export function cutSentences(
  text: string,
  segmenter: TextSegmenter,
  mayStandAlone: (text: string) => boolean = () => true,
): SentenceCut {
  const segments = terminator.test(text) ? segmenter.split(text, 'sentence') : [text]
  const isOver = /sentence|paragraph/.test(segmenter.boundaryAtEnd(text))
  for (let count = isOver ? segments.length : segments.length - 1; count > 0; count--) {
    const ready = segments.slice(0, count).join('')
    if (mayStandAlone(ready)) return { ready, rest: text.slice(ready.length) }
  }
  if (text.length <= maxPendingLength) return { ready: '', rest: text }
  const space = text.lastIndexOf(' ', maxPendingLength)
  const end = space > maxPendingLength / 2 ? space + 1 : maxPendingLength
  return { ready: text.slice(0, end), rest: text.slice(end) }
}

/** The sentences of a text without marks. */
export function splitSentences(text: string, segmenter: TextSegmenter): readonly string[] {
  return segmenter
    .split(text, 'sentence')
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}
