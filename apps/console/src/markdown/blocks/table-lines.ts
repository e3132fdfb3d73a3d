import { maxColumns, maxParsedLength } from '../limits.ts'
import type { Align } from './block.ts'
import type { SourceLine } from './source-line.ts'

/** The cells of a table row. A pipe after a backslash is text, even inside code (GFM §4.10). */
export function splitCells(row: string): readonly string[] {
  const cells: string[] = []
  let start = 0
  let isEscaped = false
  for (let index = 0; index < row.length; index += 1) {
    const unit = row.charCodeAt(index)
    if (unit === 0x7c && !isEscaped) {
      cells.push(row.slice(start, index))
      start = index + 1
    }
    isEscaped = unit === 0x5c && !isEscaped
  }
  cells.push(row.slice(start))
  if (cells[0]?.trim() === '') cells.shift()
  if (cells.at(-1)?.trim() === '') cells.pop()
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** The alignment of each column, if `line` is the delimiter row of a table with this head. */
export function findDelimiters(line: SourceLine, head: string): readonly Align[] | undefined {
  if (line.indent > 3 || !/[|:]/.test(line.mark) || head.length > maxParsedLength) return undefined
  if (!/^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/.test(line.mark)) return undefined
  const cells = splitCells(line.mark)
  if (cells.length > maxColumns || cells.length !== splitCells(head).length) return undefined
  return cells.map(alignOf)
}

function alignOf(cell: string): Align {
  if (!cell.endsWith(':')) return cell.startsWith(':') ? 'start' : undefined
  return cell.startsWith(':') ? 'center' : 'end'
}
