import { dedent, isBlank, type SourceLine, toLine } from './source-line.ts'

// CommonMark 0.31.2 §4 and §5, and the tables of GFM §4.10. An indent of four columns is code, never a mark.

const maxIndent = 3
/** §4.6, start condition 6. */
const htmlNames =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt' +
  '|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu' +
  '|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title' +
  '|tr|track|ul'
const htmlStarts: readonly (readonly [start: RegExp, end: RegExp | undefined])[] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${htmlNames})(?:[ \\t]|/?>|$)`, 'i'), undefined],
]

const canMark = (line: SourceLine): boolean => line.indent <= maxIndent

/** Whether the line can be anything but the text of a paragraph: most lines cannot. */
export const hasMark = (line: SourceLine): boolean => canMark(line) && /^[-=*+_#>`~<|:\d]/.test(line.mark)

export const isIndentedCode = (line: SourceLine): boolean => !canMark(line)
export const isQuote = (line: SourceLine): boolean => canMark(line) && line.mark.startsWith('>')

export const isRule = (line: SourceLine): boolean =>
  canMark(line) && /^(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/.test(line.mark)

export interface Fence {
  readonly char: string
  readonly length: number
  readonly info: string
}

/** The fence that opens a code block. */
export function findFence(line: SourceLine): Fence | undefined {
  const match = canMark(line) ? /^(?:(`{3,})([^`]*)|(~{3,}(?!~))(.*))$/.exec(line.mark) : null
  if (match === null) return undefined
  const run = match[1] ?? match[3] ?? ''
  return { char: run.charAt(0), length: run.length, info: (match[2] ?? match[4] ?? '').trim() }
}

export function isFenceEnd(line: SourceLine, { char, length }: Fence): boolean {
  const run = canMark(line) ? line.mark.trimEnd() : ''
  return run.length >= length && run === char.repeat(run.length)
}

/** The depth and the text of a one-line heading. */
export function findHeading(line: SourceLine): { readonly depth: number; readonly text: string } | undefined {
  const match = canMark(line) ? /^(#{1,6})(?:[ \t]|$)/.exec(line.mark) : null
  if (match === null) return undefined
  const depth = match[1]?.length ?? 1
  const text = line.text.slice(line.indent + depth).trim()
  const open = text.replace(/(?<!#)#+$/, '')
  return { depth, text: open === '' || /[ \t]$/.test(open) ? open.trimEnd() : text }
}

/** The depth of the heading that this line makes of the paragraph above it. */
export function findUnderline(line: SourceLine): 1 | 2 | undefined {
  const char = canMark(line) ? /^(?:(=)=*|(-)-*)[ \t]*$/.exec(line.mark) : null
  if (char === null) return undefined
  return char[1] === undefined ? 2 : 1
}

export interface ListStart {
  /** The same for all items of a list: the bullet, or the character after the number. */
  readonly bullet: string
  readonly start: number | undefined
  /** How many columns every further line of the item is indented by. */
  readonly indent: number
  readonly rest: SourceLine
}

export function findListStart(line: SourceLine): ListStart | undefined {
  const match = canMark(line) ? /^(?:([*+-])|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(line.mark) : null
  if (match === null || isRule(line)) return undefined
  const [mark, char, number, end] = match
  const column = line.indent + mark.length
  const rest = toLine(line.text.slice(column), line.at, column)
  // §5.2: anything indented further is code inside the item.
  const gap = isBlank(rest) || rest.indent > maxIndent + 1 ? 1 : rest.indent
  return {
    bullet: char ?? end ?? '',
    start: number === undefined ? undefined : Number(number),
    indent: column + gap,
    rest: dedent(rest, gap),
  }
}

/** The condition that ends an HTML block; an undefined `end` means an empty line. */
export function findHtml(line: SourceLine): { readonly end: RegExp | undefined } | undefined {
  const found = canMark(line) ? htmlStarts.find(([start]) => start.test(line.mark)) : undefined
  return found && { end: found[1] }
}

/** Whether the line begins a block that can interrupt a paragraph. */
export function interruptsParagraph(line: SourceLine): boolean {
  if (!hasMark(line)) return false
  if (startsOther(line)) return true
  const list = findListStart(line)
  // §5.2: a list that interrupts a paragraph is not empty and begins with 1.
  return list !== undefined && (list.start ?? 1) === 1 && !isBlank(list.rest)
}

/** Whether a line without the mark of an open container ends it even while a paragraph is open inside. */
export const endsContainer = (line: SourceLine): boolean =>
  hasMark(line) && (startsOther(line) || findListStart(line) !== undefined)

function startsOther(line: SourceLine): boolean {
  switch (line.mark.charAt(0)) {
    case '>':
      return true
    case '#':
      return findHeading(line) !== undefined
    case '`':
    case '~':
      return findFence(line) !== undefined
    case '<':
      return findHtml(line) !== undefined
    default:
      return isRule(line)
  }
}
