import type { PluralPhrase } from './narration-phrases.ts'

/** The phrase with its placeholders filled in. */
export function fill(phrase: string, values: Readonly<Record<string, string | number>>): string {
  return phrase.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}

/** The form of the phrase for this number, with the number filled in. */
export function fillPlural(phrase: PluralPhrase, n: number, language: string): string {
  return fill(phrase[new Intl.PluralRules(language).select(n)] ?? phrase.other, { n })
}
