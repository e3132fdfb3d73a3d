import { memo } from 'react'

interface ChartTableProps {
  readonly title: string
  readonly columns: readonly string[]
  /** The first cell of a row names it. */
  readonly rows: readonly (readonly string[])[]
  /** What the rows leave out. */
  readonly note?: string | undefined
}

/** The data of a chart as a table, collapsed at first. */
export const ChartTable = memo(function ChartTable({ title, columns, rows, note }: ChartTableProps) {
  return (
    <details className="chart-details">
      <summary className="chart-summary">
        As a table<span className="chart-hidden">: {title}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling must work by keyboard */}
      <section className="chart-scroll" aria-label={`${title} as a table`} tabIndex={0}>
        <table className="chart-table">
          {note !== undefined && <caption>{note}</caption>}
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have neither names nor state
              <Row key={row} columns={columns} cells={cells} />
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
})

function Row({
  columns,
  cells: [name, ...values],
}: {
  columns: readonly string[]
  cells: readonly string[]
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {values.map((value, index) => (
        <td key={columns[index + 1]}>{value}</td>
      ))}
    </tr>
  )
}
