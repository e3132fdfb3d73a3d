import type { CodeBlock } from '../utterance.ts'
import { maxKeptLines } from './code-block.ts'
import type { Line } from './line.ts'

/** A code block whose fence is open. */
export interface CodeFence {
  /** Takes a line; true if it closes the block. */
  take(line: string): boolean
  end(isFinished: boolean): CodeBlock
}

/** The rest of a longer line is not kept for reading. */
const maxLineLength = 4000

export function openFence({ marks, info, indent }: Extract<Line, { kind: 'fence' }>): CodeFence {
  const margin = new RegExp(`^\\s{0,${indent}}`)
  const lines: string[] = []
  let lineCount = 0
  return {
    take(line) {
      if (/^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1]?.startsWith(marks) === true) return true
      lineCount += 1
      if (lines.length < maxKeptLines) lines.push(line.replace(margin, '').slice(0, maxLineLength))
      return false
    },
    end: (isFinished) => ({ lines, lineCount, info, isFinished }),
  }
}
