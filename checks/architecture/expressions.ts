import { parseAst } from 'rolldown/parseAst'
import { analyse } from 'scslre'
import { isTest, type Source } from './source.ts'

const wholeRest = 'With the flag s, `.*$` takes whatever is left: nothing is tried a second time.'

/** Expressions that look slow, or cannot be judged, and may stay anyway, with the reasons. */
const KNOWN_EXPRESSIONS: Readonly<Record<string, string>> = {
  'packages/protocol/src/narrate/markdown/line.ts: /^(\\s*)(?:[-*+•]|(\\d{1,9})[.)])(?:\\s+(?:\\[([ xX])\\]\\s+)?(.*))?$/s':
    wholeRest,
  'packages/protocol/src/narrate/markdown/line.ts: /^ {0,3}#{1,6}(?:\\s+(.*))?$/s': wholeRest,
  'packages/protocol/src/narrate/markdown/code-fence.ts: new RegExp(`^\\\\s{0,${indent}}`)':
    'One bounded repetition at the start of a line.',
  'packages/agents/src/demo/pieces.ts: /\\s*(?:[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]{1,2}|[^\\s\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]{1,6})|\\s+/gu':
    'White space that no word follows is one piece, which the second alternative takes whole.',
  ...Object.fromEntries(
    ['out', 'call', 'rpl', 'evt'].map((prefix) => [
      `packages/protocol/src/dialects/aaep/names.ts: new RegExp(idPattern('${prefix}'))`,
      'A prefix and one bounded repetition.',
    ]),
  ),
  "packages/gateway/src/config/read-value.ts: new RegExp(propertyNames?.pattern ?? '', 'u')":
    'The pattern is in the schema of the configuration, where it is judged.',
  'apps/console/src/format/format-number.ts: /\\B(?=(\\d{3})+$)/g': 'A number has at most 309 digits.',
  'apps/console/src/markdown/inline/address-beside.ts: /[\\p{L}\\p{N}_-]+(?:[.@][\\p{L}\\p{N}_-]+)*[.@](?:[\\p{L}_-][\\p{L}\\p{N}_-]*|\\d+(?<=\\d\\.\\d+\\.\\d+\\.\\d+))/gu':
    'Its texts have at most 256 characters.',
}

/** What a file must contain to have an expression; most have none, and are not parsed. */
const sign = /RegExp|[Pp]attern|[^\w\s)*/]\s*\/(?![/*])/

/** What is known about an expression: its text, or only its code where that is put together at run time. */
interface Expression {
  readonly name: string
  readonly text: string | undefined
  readonly flags: string
}

/**
 * Regular expressions that can take more than linear time, and those that cannot be judged. `known` are the
 * exceptions; one that does not occur is found too.
 */
export function slowExpressions(
  sources: readonly Source[],
  known: Readonly<Record<string, string>> = KNOWN_EXPRESSIONS,
): readonly string[] {
  const judged = sources.filter(
    ({ path, text }) => !isTest(path) && !path.includes('/testing/') && sign.test(text),
  )
  const files = judged.map((source) => ({ source, nodes: nodesOf(source) }))
  const exported = new Map(files.flatMap(({ nodes }) => constantsIn(nodes)))
  const unseen = new Set(Object.keys(known))
  const found = files.flatMap(({ source: { path, text }, nodes }) => {
    const constants = new Map([...exported, ...constantsIn(nodes)])
    return nodes.flatMap((node) => {
      const expression = expressionOf(node, constants, text)
      const fault = expression && faultOf(expression)
      if (fault === undefined) return []
      const place = `${path}: ${expression?.name}`
      unseen.delete(place)
      return Object.hasOwn(known, place) ? [] : [`${place} ${fault}`]
    })
  })
  return [...found, ...[...unseen].map((place) => `${place} is an exception that is not needed`)]
}

function faultOf({ text, flags }: Expression): string | undefined {
  if (text === undefined) return 'is put together at run time, so nothing can be said about it'
  const { reports } = analyse({ source: text, flags })
  if (reports.length === 0) return undefined
  return reports.some(({ exponential }) => exponential) ? 'takes exponential time' : 'takes quadratic time'
}

/** A node of the syntax tree of ESTree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

function nodesOf({ path, text }: Source): readonly Node[] {
  const nodes: Node[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (isNode(value)) {
      nodes.push(value)
      Object.values(value).forEach(visit)
    }
  }
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path))
  return nodes
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

type Constants = ReadonlyMap<string, Node>

function constantsIn(nodes: readonly Node[]): readonly (readonly [string, Node])[] {
  return nodes.flatMap(({ type, id, init }) =>
    type === 'VariableDeclarator' && isNode(id) && isNode(init) ? [[String(id['name']), init] as const] : [],
  )
}

/** The expression that a node is: a literal, `new RegExp(…)`, or the `pattern` of a schema. */
function expressionOf(node: Node, constants: Constants, code: string): Expression | undefined {
  const { type, regex, callee, arguments: given, key, value } = node
  const nameOf = (text: string | undefined, flags: string): string =>
    text === undefined ? code.slice(node.start, node.end).replaceAll(/\n */g, ' ') : `/${text}/${flags}`
  const make = (text: string | undefined, flags: string) => ({ name: nameOf(text, flags), text, flags })
  if (type === 'Literal' && typeof regex === 'object' && regex !== null && 'pattern' in regex)
    return make(String(regex.pattern), 'flags' in regex ? String(regex.flags) : '')
  if (type === 'NewExpression' && isNode(callee) && callee['name'] === 'RegExp' && Array.isArray(given))
    return make(textOf(given[0], constants), textOf(given[1], constants) ?? '')
  const isPattern = type === 'Property' && isNode(key) && key['name'] === 'pattern'
  const text = isPattern ? textOf(value, constants) : undefined
  return text === undefined ? undefined : make(text, 'u')
}

/** The text that a node stands for; undefined unless the sources say it. */
function textOf(node: unknown, constants: Constants): string | undefined {
  if (!isNode(node)) return undefined
  const { type, value, name, quasi, callee, arguments: given } = node
  if (type === 'Literal') return typeof value === 'string' ? value : undefined
  if (type === 'Identifier') return textOfConstant(String(name), constants)
  if (type === 'TaggedTemplateExpression') return templateOf(quasi, 'raw', constants)
  if (type === 'BinaryExpression') return joined([node['left'], node['right']], '', constants)
  if (type === 'TemplateLiteral') return templateOf(node, 'cooked', constants)
  const list = type === 'CallExpression' && isNode(callee) ? callee['object'] : undefined
  if (isNode(list) && Array.isArray(list['elements']) && Array.isArray(given))
    return joined(list['elements'], textOf(given[0], constants) ?? ',', constants)
  return undefined
}

interface Template {
  readonly quasis: readonly { readonly value: Readonly<Record<'raw' | 'cooked', string>> }[]
  readonly expressions: readonly unknown[]
}

function templateOf(node: unknown, form: 'raw' | 'cooked', constants: Constants): string | undefined {
  const { quasis, expressions } = node as Template // the types of ESTree say so
  const filled = expressions.map((each) => textOf(each, constants))
  if (filled.includes(undefined)) return undefined
  return quasis.map(({ value }, index) => `${value[form]}${filled[index] ?? ''}`).join('')
}

function joined(nodes: readonly unknown[], between: string, constants: Constants): string | undefined {
  const texts = nodes.map((node) => textOf(node, constants))
  return texts.includes(undefined) ? undefined : texts.join(between)
}

function textOfConstant(name: string, constants: Constants): string | undefined {
  const others = new Map(constants)
  // A constant that mentions itself has no text.
  others.delete(name)
  return textOf(constants.get(name), others)
}
