import type { Terminal } from './io.ts'
import { escapeControls } from './safe-text.ts'

/** The indentation of a continued line: none of this command's own lines begins with a space. */
export const margin = '  '

/** A text as it is written, and the column after it. */
export interface Wrapped {
  readonly text: string
  readonly column: number
}

const leastColumns = 20

/**
 * Breaks lines before a terminal does, and indents the rest: foreign text that reaches the edge of a terminal
 * would continue in its first column, where only this command's own lines begin. Without `columns`, in a
 * pipe, lines stay unchanged.
 */
export function wrapFrom(column: number, given: string, columns: number | undefined): Wrapped {
  if (columns === undefined) return { text: given, column: 0 }
  const end = Math.max(columns, leastColumns) - 1
  let place = column
  let text = ''
  const breakLine = (): void => {
    text += `\n${margin}`
    place = margin.length
  }
  for (const [word] of escapeControls(given).matchAll(/\n|[^\S\n]+|\S+/g)) {
    const isBlank = /^\s/.test(word)
    const fits = margin.length + widthOf(word) <= end
    if (!isBlank && fits && place + widthOf(word) > end) breakLine()
    for (const character of word) {
      const width = widthOf(character)
      const isOver = character !== '\n' && place + width > end
      if (isOver) breakLine()
      if (isOver && isBlank) continue
      text += character
      place = character === '\n' ? 0 : place + width
    }
  }
  return { text, column: place }
}

/** Wraps whole lines of this command, which may quote foreign text, for this terminal. */
export function wrapLines(text: string, { columns }: Pick<Terminal, 'columns'>): string {
  return wrapFrom(0, text, columns).text
}

/** Overestimates if in doubt: breaking a line early does no harm. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += character === '\t' ? 8 : character < '\u1100' ? 1 : 2
  return width
}
