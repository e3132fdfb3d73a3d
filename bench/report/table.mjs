/** A table in Markdown. */
export function formatTable(head, rows) {
  return [toLine(head), toLine(head.map(() => '---')), ...rows.map(toLine)].join('\n')
}

function toLine(cells) {
  return `| ${cells.join(' | ')} |`
}
