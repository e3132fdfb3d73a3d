import { builtinModules } from 'node:module'
import { importsOf, isRelative, targetOf } from './imports.ts'
import { isTest, type Source } from './source.ts'

/** Which other packages each package may import. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  log: ['protocol'],
  gateway: ['protocol', 'log'],
  client: ['protocol'],
  agents: ['protocol', 'client'],
  react: ['protocol', 'client'],
  conformance: ['protocol'],
  cli: ['protocol', 'log', 'gateway', 'agents', 'client', 'conformance'],
  console: ['protocol', 'client', 'react'],
}
const RUNS_ANYWHERE = ['protocol', 'client', 'react', 'console']

const isForTests = (path: string): boolean => isTest(path) || path.includes('/src/testing/')
const packageOf = (path: string): string => path.split('/')[1] ?? ''

/** Imports that reach a package outside ARROWS, or the inside of any package but their own. */
export function strayArrows({ path, text }: Source): readonly string[] {
  const from = packageOf(path)
  const allowed = ARROWS[from]
  if (allowed === undefined) return [`${path}: the package ${from} has no place in the arrows`]
  return importsOf(text).flatMap(({ specifier }) => {
    const to = /^@sluice\/([^/]+)/.exec(specifier)?.[1]
    if (to !== undefined) return allowed.includes(to) ? [] : [`${path}: ${from} must not import ${specifier}`]
    const home = path.split('/').slice(0, 3).join('/')
    if (!isRelative(specifier) || targetOf(path, specifier).startsWith(`${home}/`)) return []
    return [`${path}: ${specifier} leaves ${home}`]
  })
}

/** The same for the dependencies in a package.json. */
export function strayDependencies({ path, text }: Source): readonly string[] {
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = JSON.parse(text)
  const names = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
  return strayArrows({
    path: path.replace('package.json', 'src/dependencies.ts'),
    text: names.map((name) => `import '${name}'`).join('\n'),
  })
}

/** Imports of Node's modules in a package that also runs elsewhere; its tests may have them. */
export function nodeImports({ path, text }: Source): readonly string[] {
  if (!RUNS_ANYWHERE.includes(packageOf(path)) || isForTests(path)) return []
  return importsOf(text)
    .filter(({ specifier }) => specifier.startsWith('node:') || builtinModules.includes(specifier))
    .map(({ specifier }) => `${path}: ${specifier} exists in Node alone`)
}

/** Follows the imports at run time from `entry` and reports every one that leads to a package. */
export function packagesBehind(entry: string, sources: readonly Source[]): readonly string[] {
  const byPath = new Map(sources.map((source) => [source.path, source.text]))
  const reached = new Set([entry])
  const found: string[] = []
  for (const path of reached) {
    const text = byPath.get(path)
    if (text === undefined) found.push(`${path}: does not exist`)
    for (const { specifier, isTypeOnly } of importsOf(text ?? '')) {
      if (isTypeOnly) continue
      if (isRelative(specifier)) reached.add(targetOf(path, specifier))
      else found.push(`${path}: ${specifier} is needed at run time by ${entry}`)
    }
  }
  return found
}

/** Relative imports that do not spell out the file name. */
export function badExtensions({ path, text }: Source): readonly string[] {
  const allowed = path.startsWith('apps/') ? /\.(tsx?|css)$/ : /\.tsx?$/
  return importsOf(text)
    .filter(({ specifier }) => isRelative(specifier) && !allowed.test(specifier))
    .map(({ specifier }) => `${path}: ${specifier} does not end with .ts`)
}
