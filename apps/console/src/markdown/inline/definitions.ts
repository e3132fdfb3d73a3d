import { Lexer } from 'marked'
import { maxDefinitions } from '../limits.ts'

/** The addresses of labels, in an object without a prototype. */
export type Definitions = Readonly<Record<string, { readonly href: string; readonly title: string }>>

export const noDefinitions: Definitions = Object.create(null)

const definition = Lexer.rules.block.gfm.def
const escapes = /\\([!-/:-@[-`{-~])/g

/** Takes link definitions off the start of a paragraph. The first definition of a label wins. */
export function takeDefinitions(
  source: string,
  known: Definitions,
): { readonly rest: string; readonly definitions: Definitions } {
  if (!source.startsWith('[')) return { rest: source, definitions: known }
  let rest = source
  const entries = Object.entries(known)
  const labels = new Set(Object.keys(known))
  for (let match = definition.exec(rest); match !== null; match = definition.exec(rest)) {
    const [all, label = '', address = '', title = ''] = match
    const key = toKey(label)
    rest = rest.slice(all.length)
    if (labels.has(key) || labels.size === maxDefinitions) continue
    labels.add(key)
    const href = address.replace(/^<(.*)>$/, '$1').replace(escapes, '$1')
    entries.push([key, { href, title: title.slice(1, -1).replace(escapes, '$1') }])
  }
  if (rest === source) return { rest, definitions: known }
  return { rest, definitions: Object.assign(Object.create(null), Object.fromEntries(entries)) }
}

/** The key that marked makes of a label: both must agree. */
const toKey = (label: string): string =>
  label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase().toLowerCase()
