import { posix } from 'node:path'

interface Import {
  readonly specifier: string
  readonly isTypeOnly: boolean
}

/** Every module that a file names in an import, a re-export or a dynamic import. */
export function importsOf(text: string): readonly Import[] {
  const statements = text.matchAll(
    /^[ \t]*(?:import|export)\s+(type\s)?[\w$\s,*{}]*?from\s*['"]([^'"]+)['"]/gm,
  )
  const effects = text.matchAll(/^[ \t]*import\s*['"]([^'"]+)['"]/gm)
  const calls = text.matchAll(/\b(?:import|require|import\.meta\.resolve)\s*\(\s*['"`]([^'"`]+)['"`]/g)
  return [
    // `import { type A }` remains an import at run time (verbatimModuleSyntax); only `import type` is erased.
    ...[...statements].map(([, type, specifier = '']) => ({ specifier, isTypeOnly: type !== undefined })),
    ...[...effects, ...calls].map(([, specifier = '']) => ({ specifier, isTypeOnly: false })),
  ]
}

export const isRelative = (specifier: string): boolean => specifier.startsWith('.')

/** The path that a relative specifier in the file `path` points to. */
export const targetOf = (path: string, specifier: string): string =>
  posix.join(posix.dirname(path), specifier)
