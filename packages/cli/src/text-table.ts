import { toSafeLine } from './safe-text.ts'

const maxCellLength = 2000

/** Formats rows as lines of text, each column as wide as its widest cell. No cell breaks its line. */
export function formatTable(table: readonly (readonly string[])[]): string {
  const rows = table.map((row) => row.map((cell) => toSafeLine(cell, maxCellLength)))
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  )
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => pad(cell, widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

/** Counts code points, which is precise enough for a table. */
function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - [...cell].length))
}
