import { headingsOf, rowsOf, sectionOf } from './markdown.ts'

/** What a page must say about a rule. */
export interface DocumentedRule {
  readonly code: string
  readonly verdict: string
}

const HEADINGS = ['How it maps', 'Rules', 'Where payloads may go', 'Joining at a cursor', 'What is lost']

/**
 * What the page of a dialect lacks: a heading, a rule, or the rule's verdict. Data is lost in the dialect
 * that is written, so "What is lost" must not name `others`.
 */
export function pageFaults(
  markdown: string,
  rules: readonly DocumentedRule[],
  others: readonly string[] = [],
): readonly string[] {
  const headings = headingsOf(markdown)
  const rows = rowsOf(sectionOf(markdown, 'Rules') ?? '')
  const told = rows.map((row) => ({ code: row['code'] ?? '', verdict: row['verdict'] ?? '' }))
  return [
    ...HEADINGS.filter((heading) => !headings.includes(heading)).map((heading) => `no heading "${heading}"`),
    ...differences(rules.map(show), told.map(show)),
    ...namedIn(sectionOf(markdown, 'What is lost') ?? '', others).map(
      (id) => `"What is lost" names the dialect ${id}`,
    ),
  ]
}

/** The ids that occur in the text as whole words. */
function namedIn(text: string, ids: readonly string[]): readonly string[] {
  const words = new Set(text.match(/[\w-]+(?:\.[\w-]+)*/g)?.map((word) => word.toLowerCase()))
  return ids.filter((id) => words.has(id))
}

const show = ({ code, verdict }: DocumentedRule): string => `${code} (${verdict})`

/** A sentence for each name that is in only one list, or twice in the documentation. */
export function differences(real: readonly string[], told: readonly string[]): readonly string[] {
  return [
    ...real.filter((name) => !told.includes(name)).map((name) => `${name} is not documented`),
    ...told.filter((name) => !real.includes(name)).map((name) => `${name} is documented but does not exist`),
    ...told
      .filter((name, index) => told.indexOf(name) !== index)
      .map((name) => `${name} is documented twice`),
  ]
}
