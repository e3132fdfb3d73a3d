/** A fenced block: the words after its opening fence, and the text inside. */
export interface Block {
  readonly tags: readonly string[]
  readonly text: string
  /** The line of the opening fence, from 1. */
  readonly line: number
}

/** The fenced blocks of a page, in order. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const fence = /^```(.*)$/.exec(lines[at] ?? '')
    if (fence === null) continue
    const start = at
    for (at++; at < lines.length && lines[at] !== '```'; at++);
    blocks.push({
      tags: (fence[1] ?? '').split(' ').filter((tag) => tag !== ''),
      text: lines.slice(start + 1, at).join('\n'),
      line: start + 1,
    })
  }
  return blocks
}

/** The page with empty lines in place of its fenced blocks, whose content is not Markdown. */
export function withoutBlocks(markdown: string): string {
  let isInside = false
  return markdown
    .split('\n')
    .map((line) => {
      const isFence = line.startsWith('```')
      if (isFence) isInside = !isInside
      return isFence || isInside ? '' : line
    })
    .join('\n')
}

/** The text of every heading. */
export function headingsOf(markdown: string): readonly string[] {
  return [...withoutBlocks(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => title.trim())
}

/** The text under a heading, up to the next heading of the same or a higher level. */
export function sectionOf(markdown: string, title: string): string | undefined {
  const lines = withoutBlocks(markdown).split('\n')
  const start = lines.findIndex((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, '').trim() === title)
  if (start < 0) return undefined
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 0
  const length = lines.slice(start + 1).findIndex((line) => {
    const marks = /^(#{1,6}) /.exec(line)?.[1]
    return marks !== undefined && marks.length <= level
  })
  return lines.slice(start + 1, length < 0 ? lines.length : start + 1 + length).join('\n')
}

/** A row of a table: its cells by column name. */
export type TableRow = Readonly<Record<string, string>>

/** The rows of every table in `markdown`. Backticks around a cell are removed. */
export function rowsOf(markdown: string): readonly TableRow[] {
  const rows: TableRow[] = []
  let head: readonly string[] | undefined
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      head = undefined
      continue
    }
    const cells = cellsOf(line)
    if (head === undefined) head = cells
    else if (!cells.every((cell) => /^:?-+:?$/.test(cell)))
      rows.push(Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])))
  }
  return rows
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) =>
      cell
        .trim()
        .replaceAll('\\|', '|')
        .replace(/^`([^`]*)`$/, '$1'),
    )
}
