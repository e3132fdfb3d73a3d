import type { Align, Inline, TableRow } from './blocks/block.ts'
import type { Pages } from './blocks/pages.ts'
import { createPagesView } from './create-pages-view.tsx'
import { plainText } from './inline/span.ts'
import { InlineText } from './inline-text.tsx'

const maxLabelLength = 100

interface TableProps {
  readonly head: readonly Inline[]
  readonly aligns: readonly Align[]
  readonly rows: Pages<TableRow>
}

const RowPages = createPagesView(Row)

/** A table that scrolls on its own, also by keyboard. It is named after its columns. */
export function Table({ head, aligns, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling must work by keyboard.
    <section className="md-table" aria-label={labelOf(head)} tabIndex={0}>
      <table dir="auto">
        <thead>
          <tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name.
              <HeadCell key={column} cell={cell} align={aligns[column]} />
            ))}
          </tr>
        </thead>
        <tbody>
          <RowPages pages={rows} />
        </tbody>
      </table>
    </section>
  )
}

/** A column without a name has no header. */
function HeadCell({ cell, align }: { readonly cell: Inline; readonly align: Align }) {
  if (cell.length === 0) return <td />
  return (
    <th scope="col" dir="auto" className={classOf(align)}>
      <InlineText inline={cell} />
    </th>
  )
}

function Row({ value: { cells, aligns } }: { readonly value: TableRow }) {
  return (
    <tr>
      {cells.map((cell, column) => (
        <td
          // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name.
          key={column}
          dir="auto"
          colSpan={cells.length < aligns.length ? aligns.length : undefined}
          className={classOf(aligns[column])}
        >
          <InlineText inline={cell} />
        </td>
      ))}
    </tr>
  )
}

const classOf = (align: Align): string | undefined => align && `md-${align}`

function labelOf(head: readonly Inline[]): string {
  const names = head.map((cell) => (typeof cell === 'string' ? cell : plainText(cell)).trim())
  const label = `Table: ${names.filter((name) => name !== '').join(', ')}`
  return label.length > maxLabelLength ? `${label.slice(0, maxLabelLength)}…` : label
}
