import { importsOf, isRelative, targetOf } from './imports.ts'
import { isTest, type Source } from './source.ts'

/** Every folder in here is one dialect, and nothing else is. */
export const DIALECTS = 'packages/protocol/src/dialects'
const DIALECT_FILES = ['index.ts', 'wire.ts', 'decode.ts', 'encode.ts', 'sequence.ts']

/** The dialect that a file belongs to. */
export const dialectOf = (path: string): string | undefined =>
  path.startsWith(`${DIALECTS}/`) ? /^([^/]+)\//.exec(path.slice(DIALECTS.length + 1))?.[1] : undefined

/** Imports from one dialect into another, or into the list of all. */
export function crossedDialects({ path, text }: Source): readonly string[] {
  const own = dialectOf(path)
  if (own === undefined) return []
  return importsOf(text)
    .filter(({ specifier }) => isRelative(specifier))
    .map(({ specifier }) => targetOf(path, specifier))
    .filter((target) => target === `${DIALECTS}/index.ts` || (dialectOf(target) ?? own) !== own)
    .map((target) => `${path}: the dialect ${own} must not import ${target}`)
}

/** What the dialects among `paths` lack. */
export function incompleteDialects(paths: readonly string[]): readonly string[] {
  return dialectIds(paths).flatMap((id) => {
    const files = paths
      .filter((path) => dialectOf(path) === id)
      .map((path) => path.slice(`${DIALECTS}/${id}/`.length))
    return [
      ...DIALECT_FILES.filter((name) => !files.includes(name)),
      ...(files.some(isTest) ? [] : ['a test']),
      ...(files.some((file) => file.startsWith('fixtures/')) ? [] : ['fixtures/']),
    ].map((missing) => `${DIALECTS}/${id}: ${missing} is missing`)
  })
}

/** The dialects that have a file among `paths`. */
export function dialectIds(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => dialectOf(path) ?? []))]
}

/** Comparisons with a dialect's id outside its folder; a property of `supports` should replace them. */
export function dialectBranches({ path, text }: Source, ids: readonly string[]): readonly string[] {
  if (isTest(path) || dialectOf(path) !== undefined || ids.length === 0) return []
  const id = `(['"\`])(?:${ids.join('|')})\\1`
  const branch = new RegExp(
    [`(?:[=!]==?|\\bcase)\\s*${id}`, `${id}\\s*[=!]==?`, `\\[[^\\]]*${id}[^\\]]*\\]\\s*\\.includes\\(`]
      .map((pattern, index) => pattern.replace('\\1', `\\${index + 1}`))
      .join('|'),
    'g',
  )
  return [...text.matchAll(branch)].map(([match]) => `${path}: branches on a dialect's id: ${match}`)
}
