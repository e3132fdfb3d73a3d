import type { TextSegmenter } from '../../segment/segmenter.ts'
import type { NarrationPhrases } from '../phrases/narration-phrases.ts'
import { isBalanced, speakInline } from './inline.ts'
import { cutSentences, splitSentences } from './sentence-cutter.ts'

/** A growing paragraph, list item or quotation. Each call returns the sentences to speak. */
export interface RunningText {
  append(text: string): readonly string[]
  endLine(): readonly string[]
  /** Everything so far, finished or not. */
  flush(): readonly string[]
  /** Its only line so far, if none of it was spoken yet: the line below may turn it into something else. */
  readonly onlyLine: string | undefined
}

const pieceLength = 1000
/** The longest line that may be the head of a table. */
const maxHeadLength = 4000

/** `introduce` adds the kind of text to the first sentence. */
export function createRunningText(
  introduce: (text: string) => string,
  segmenter: TextSegmenter,
  phrases: NarrationPhrases,
): RunningText {
  let raw = ''
  let lineCount = 0
  let isIntroduced = false

  const tell = (text: string): readonly string[] =>
    splitSentences(speakInline(text, phrases), segmenter).map((sentence) => {
      const told = isIntroduced ? sentence : introduce(sentence)
      isIntroduced = true
      return told
    })

  const flush = (): readonly string[] => {
    const all = raw
    raw = ''
    return tell(all)
  }

  const tellReady = (): readonly string[] => {
    // The head of a table looks like text until the line below it arrives.
    if (lineCount < 2 && raw.length <= maxHeadLength && raw.trimStart().startsWith('|')) return []
    const { ready, rest } = cutSentences(raw, segmenter, isBalanced)
    raw = rest
    return tell(ready)
  }

  return {
    append(text) {
      const told: string[] = []
      // In pieces, so that the text that is scanned repeatedly stays short.
      for (let at = 0; at < text.length; at += pieceLength) {
        raw += text.slice(at, at + pieceLength)
        told.push(...tellReady())
      }
      return told
    },
    endLine() {
      lineCount += 1
      // Two spaces, a backslash or a colon at the end of a line end the sentence.
      if (/(?<! ) {2,}$|\\$|:\**$/.test(raw) && isBalanced(raw)) {
        raw = raw.replace(/\\$/, '')
        return flush()
      }
      raw += ' '
      return tellReady()
    },
    flush,
    get onlyLine() {
      return lineCount === 1 && !isIntroduced ? raw.trim() : undefined
    },
  }
}
