import { type Dialect, eventKinds, type Support } from '@sluice/protocol'

const MARKS: Readonly<Record<Support, string>> = { full: 'full', part: 'part', carried: 'carried', none: '–' }

type Row = readonly [name: string, cell: (supports: Dialect['supports']) => string]

const ROWS: readonly Row[] = [
  ...eventKinds.map((kind): Row => [`\`${kind}\``, ({ kinds }) => MARKS[kinds[kind]]]),
  ['session ids', ({ sessionIds }) => yesNo(sessionIds)],
  ['event ids', ({ eventIds }) => yesNo(eventIds)],
  ['times', ({ timestamps }) => yesNo(timestamps)],
  ['a frame for the end', ({ terminal }) => yesNo(terminal)],
  ['request text', ({ payloads }) => yesNo(payloads.request)],
  ['tool arguments', ({ payloads }) => yesNo(payloads.toolArgs)],
  ['tool results', ({ payloads }) => yesNo(payloads.toolResults)],
]

function yesNo(value: boolean): string {
  return value ? 'yes' : MARKS.none
}

/** The page with the list of dialects and the support matrix in their marked places; throws if a place is missing. */
export function withDialects(markdown: string, dialects: readonly Dialect[]): string {
  return withPart(withPart(markdown, 'list', formatList(dialects)), 'matrix', formatMatrix(dialects))
}

function withPart(markdown: string, name: string, text: string): string {
  const place = new RegExp(`(<!-- ${name}:start -->\n)[\\s\\S]*(<!-- ${name}:end -->)`)
  if (!place.test(markdown)) throw new Error(`no place for the ${name}`)
  return markdown.replace(place, (_, start, end) => `${start}\n${text}\n${end}`)
}

function formatList(dialects: readonly Dialect[]): string {
  const rows = dialects.map(({ id, title }) => [linkTo(id), title])
  return formatTable([['id', 'dialect'], ['---', '---'], ...rows])
}

function formatMatrix(dialects: readonly Dialect[]): string {
  const head = ['', ...dialects.map(({ id }) => linkTo(id))]
  const rule = head.map((_, column) => (column === 0 ? '---' : ':-:'))
  const rows = ROWS.map(([name, cell]) => [name, ...dialects.map(({ supports }) => cell(supports))])
  return formatTable([head, rule, ...rows])
}

function formatTable(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function linkTo(id: string): string {
  return `[${id}](${id}.md)`
}
