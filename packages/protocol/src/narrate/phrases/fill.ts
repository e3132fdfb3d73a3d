import type { PluralPhrase } from './narration-phrases.ts'

/** The phrase with its placeholders filled in. */
export function fill(phrase: string, values: Readonly<Record<string, string | number>>): string {
  return phrase.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}

/** The form of the phrase for this number, with the number and the other placeholders filled in. */
export function fillPlural(
  phrase: PluralPhrase,
  n: number,
  language: string,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const form = phrase[new Intl.PluralRules(language).select(n)] ?? phrase.other
  return fill(form, { ...values, n })
}
