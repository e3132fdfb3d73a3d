import { isTest, type Source } from './source.ts'

/** Conditional spreads for a value that may be undefined, where `omitUndefined()` says the same. */
export function undefinedSpreads({ path, text }: Source): readonly string[] {
  if (isTest(path)) return []
  return [...text.matchAll(/\.\.\.\([^\n]*(?:=== undefined \? \{\} :|!== undefined && \{)[^\n]*/g)].map(
    ([match]) => `${path}: ${match} is omitUndefined({ … })`,
  )
}
