import { maxBlocks, maxParsedLength } from '../limits.ts'
import { codeIndent } from './begin-leaf.ts'
import type { Align, Block, TableRow } from './block.ts'
import { findUnderline, hasMark, interruptsParagraph, isFenceEnd, isIndentedCode } from './block-starts.ts'
import { closeParagraph } from './close-leaf.ts'
import type {
  OpenBlock,
  OpenFence,
  OpenIndented,
  OpenLeaf,
  OpenParagraph,
  OpenTable,
  OpenText,
} from './open-block.ts'
import { addToPages } from './pages.ts'
import { addLine } from './pieces.ts'
import { dedent, isBlank, type SourceLine } from './source-line.ts'
import { findDelimiters, splitCells } from './table-lines.ts'
import { inlineOf, type Work } from './work.ts'

/** A block with one more line, and the block before it if the line completed that one. */
export interface Grown {
  readonly open: OpenBlock
  readonly done?: Block | undefined
}

/** The block with one more line. Undefined if the line does not belong to it. */
export function growLeaf(open: OpenLeaf, line: SourceLine, work: Work): Grown | undefined {
  switch (open.kind) {
    case 'paragraph':
      return growParagraph(open, line, work)
    case 'fence':
      return growFence(open, line)
    case 'indented':
      return growIndented(open, line)
    case 'text':
      return growText(open, line)
    case 'table':
      return growTable(open, line, work)
    case 'heading':
    case 'underlined':
    case 'rule':
      return undefined
  }
}

function growParagraph(open: OpenParagraph, line: SourceLine, work: Work): Grown | undefined {
  if (isBlank(line)) return undefined
  const { key, before, last } = open
  const pieces = addLine(before, last.text)
  if (!line.isLazy && hasMark(line)) {
    const depth = findUnderline(line)
    if (depth !== undefined && pieces.length <= maxParsedLength) {
      return { open: { kind: 'underlined', key, depth, pieces, underline: line.text } }
    }
    const table = beginTable(open, line, work)
    if (table !== undefined) return table
    if (interruptsParagraph(line)) return undefined
  }
  return { open: { kind: 'paragraph', key, before: pieces, last: { at: line.at, text: line.text } } }
}

/** The table whose head is the last line of a paragraph and whose delimiter row is this line. */
function beginTable({ key, before, last }: OpenParagraph, line: SourceLine, work: Work): Grown | undefined {
  const aligns = findDelimiters(line, last.text)
  if (aligns === undefined) return undefined
  // The lines above the head may hold definitions, so they are read first.
  const done = before.lines === 0 ? undefined : closeParagraph(key, before, work)
  const head = splitCells(last.text).map((cell) => inlineOf(cell, work))
  return { open: { kind: 'table', key: last.at, head, aligns, rows: [] }, done }
}

function growFence(open: OpenFence, line: SourceLine): Grown | undefined {
  const { kind, key, fence, indent, pieces, isClosed } = open
  if (isClosed) return undefined
  if (isFenceEnd(line, fence)) return { open: { kind, key, fence, indent, pieces, isClosed: true } }
  return { open: { kind, key, fence, indent, pieces: addLine(pieces, dedent(line, indent).text), isClosed } }
}

function growIndented(open: OpenIndented, line: SourceLine): Grown | undefined {
  const { kind, key, pieces, blankLines } = open
  if (isBlank(line)) return { open: { kind, key, pieces, blankLines: blankLines + 1 } }
  if (!isIndentedCode(line)) return undefined
  const spaced = blankLines === 0 ? pieces : addLine(pieces, '\n'.repeat(blankLines - 1))
  return { open: { kind, key, pieces: addLine(spaced, dedent(line, codeIndent).text), blankLines: 0 } }
}

function growText(open: OpenText, line: SourceLine): Grown | undefined {
  if (open.isClosed || (open.end === 'empty line' && isBlank(line))) return undefined
  const { kind, key, pieces, end } = open
  const isClosed = end instanceof RegExp && end.test(line.text)
  return { open: { kind, key, pieces: addLine(pieces, line.text), end, isClosed } }
}

function growTable(open: OpenTable, line: SourceLine, work: Work): Grown | undefined {
  if (isBlank(line) || isIndentedCode(line) || interruptsParagraph(line) || work.count >= maxBlocks)
    return undefined
  work.count += 1
  return { open: { ...open, rows: addToPages(open.rows, readRow(line, open.aligns, work)) } }
}

function readRow({ at, text }: SourceLine, aligns: readonly Align[], work: Work): TableRow {
  if (text.length > maxParsedLength) return { key: at, cells: [text], aligns }
  const columns = aligns.length
  const cells = splitCells(text)
  // Surplus cells stay in the last column: a pipe in a cell is often not escaped.
  const whole = [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(' | ')]
  return { key: at, cells: aligns.map((_, column) => inlineOf(whole[column] ?? '', work)), aligns }
}
