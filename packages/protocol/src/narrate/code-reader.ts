import { announceCode, maxKeptLines } from './markdown/code-block.ts'
import type { NarrationPhrases } from './phrases/narration-phrases.ts'
import type { TextReader } from './text-reader.ts'

const maxKeptLength = 1_000_000

/**
 * Reads an output that is not text for people, such as JSON. Announces it like a code block once it is
 * complete.
 */
export function createCodeReader(info: string, phrases: NarrationPhrases): TextReader {
  let kept = ''
  let lineCount = 1
  return {
    push(text) {
      if (kept.length < maxKeptLength) kept += text
      lineCount += text.split('\n').length - 1
      return []
    },
    interrupt: () => [],
    end() {
      const lines = kept.split(/\r?\n/)
      const isOpen = lines.at(-1) !== ''
      const code = {
        lines: (isOpen ? lines : lines.slice(0, -1)).slice(0, maxKeptLines),
        lineCount: isOpen ? lineCount : lineCount - 1,
        info,
        isFinished: true,
      }
      return kept === '' ? [] : [announceCode(code, phrases)]
    },
  }
}
