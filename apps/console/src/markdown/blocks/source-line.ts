/** One line of Markdown as its container sees it, without the line break. */
export interface SourceLine {
  /** The offset of the line in the whole text, which is the key of the block that begins here. */
  readonly at: number
  /** The line with its leading tabs as spaces. */
  readonly text: string
  /** The columns of white space before the first mark. */
  readonly indent: number
  /** The text after the indent, truncated so that classifying a line costs the same at any length. */
  readonly mark: string
  /** Whether it continues a paragraph inside a container although it lacks the container's mark. */
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
  // A mark that takes a whole line (a rule, an underline) must not be found at the start of a longer line.
  const mark = isLong ? `${text.slice(indent, indent + maxMarkLength)}…` : text.slice(indent)
  return { at, text, indent, mark, isLazy: false }
}

/** The line without its first columns, which are white space. */
export function dedent(line: SourceLine, columns: number): SourceLine {
  return columns === 0 ? line : toLine(line.text.slice(Math.min(columns, line.indent)), line.at)
}

export const isBlank = (line: SourceLine): boolean => line.mark.trim() === ''
