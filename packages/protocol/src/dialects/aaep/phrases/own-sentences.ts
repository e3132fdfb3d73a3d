import { allPhrases } from '../phrases.generated.ts'
import type { AaepPhrases, CountedText, PhraseSentence } from './schema.ts'

type Level = keyof PhraseSentence

/** All sentences that Sluice has ever said at one level, in all languages. */
interface OwnSentences {
  /** With `{}` in place of each number. */
  readonly whole: ReadonlySet<string>
  /** For sentences with a name, the text before and after it. */
  readonly named: readonly (readonly string[])[]
}

const own: Readonly<Record<Level, OwnSentences>> = {
  terse: ownAt('terse'),
  normal: ownAt('normal'),
  detailed: ownAt('detailed'),
}

function ownAt(level: Level): OwnSentences {
  const namePlace = /\{(?:tool|state)\}/
  const texts = allPhrases.flatMap(({ sentences, tools, former = [] }) => [
    ...[...Object.values(sentences), ...Object.values(tools)].flatMap((said) => formsOf(said[level])),
    ...(level === 'normal' ? former : []),
  ])
  return {
    whole: new Set(texts.map((text) => text.replaceAll(/\{\w+\}/g, '{}'))),
    named: texts.filter((text) => namePlace.test(text)).map((text) => text.split(namePlace, 2)),
  }
}

function formsOf(text: CountedText | undefined): readonly string[] {
  if (text === undefined) return []
  return typeof text === 'string' ? [text] : Object.values(text)
}

const maxUnits = 1024

/**
 * Whether a summary is one that Sluice says at this level, in any language or version. `names` lists the
 * names of the frame's tool or state that may appear in it.
 */
export function isOwnSentence(summary: string, level: Level, names: readonly string[]): boolean {
  const { whole, named } = own[level]
  if (summary.length > maxUnits || summary.includes('{')) return false
  if (whole.has(summary)) return true
  if (/\d/.test(summary) && whole.has(summary.replaceAll(/\d+/g, '{}'))) return true
  return names.some((name) =>
    named.some(([before = '', behind = '']) => summary === `${before}${name}${behind}`),
  )
}

/**
 * Whether a text, in any language, is the one that Sluice writes into this field if an event leaves it empty.
 */
export function isOwnField(text: string, field: keyof AaepPhrases['fields']): boolean {
  return allPhrases.some(({ fields }) => fields[field] === text)
}
