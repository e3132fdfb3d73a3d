/** One line of Markdown as its container sees it, without its line end. */
export interface SourceLine {
  /** Where the line begins in the whole text. It is the key of the block that begins here. */
  readonly at: number
  /** The line with its leading tabs as spaces. */
  readonly text: string
  /** The columns of white space before the first mark. */
  readonly indent: number
  /** What follows the indent, cut: judging a line costs the same however long it is. */
  readonly mark: string
  /** Whether it goes on with a paragraph inside a container whose own mark it lacks. */
  readonly isLazy: boolean
}

const maxMarkLength = 4096
const tabWidth = 4

/** Reads a line that begins in the given column. */
export function toLine(source: string, at: number, column = 0): SourceLine {
  let length = 0
  let indent = 0
  for (; length < maxMarkLength; length += 1) {
    const unit = source.charCodeAt(length)
    if (unit === 0x20) indent += 1
    else if (unit === 0x09) indent += tabWidth - ((column + indent) % tabWidth)
    else break
  }
  const text = indent === length ? source : ' '.repeat(indent) + source.slice(length)
  const isLong = text.length > indent + maxMarkLength
  // A mark that is a whole line (a rule, an underline) must not be seen in the beginning of a longer one.
  const mark = isLong ? `${text.slice(indent, indent + maxMarkLength)}…` : text.slice(indent)
  return { at, text, indent, mark, isLazy: false }
}

/** The line without its first columns, which are white space. */
export function dedent(line: SourceLine, columns: number): SourceLine {
  return columns === 0 ? line : toLine(line.text.slice(Math.min(columns, line.indent)), line.at)
}

export const isBlank = (line: SourceLine): boolean => line.mark.trim() === ''
