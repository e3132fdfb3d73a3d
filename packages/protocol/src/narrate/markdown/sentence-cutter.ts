import type { TextSegmenter } from '../../segment/segmenter.ts'

/** What is said at once although no sentence has ended. */
const maxPendingLength = 2000

/**
 * The ends of sentences in any language. Phrases of Thai and Lao end with a space. A text without one is not
 * segmented again and again.
 */
const terminator = /[\p{Sentence_Terminal}:;\u037e\u2024\u2026\n\r\u0085\u2028\u2029]|[\u0e00-\u0eff]\s/u

/** A text that grows, cut in two: what can be said and what must wait. */
export interface SentenceCut {
  readonly ready: string
  readonly rest: string
}

/** Cuts behind the last sentence that is over and may stand alone. */
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

/** The sentences of a text in which nothing is marked any more. */
export function splitSentences(text: string, segmenter: TextSegmenter): readonly string[] {
  return segmenter
    .split(text, 'sentence')
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}
