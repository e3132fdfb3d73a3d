import { agentOf } from './agents.ts'
import { DIALECTS, dialectOf } from './dialects.ts'
import { targetOf } from './imports.ts'
import type { Source } from './source.ts'

const VAGUE_NAMES = ['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'service', 'impl']

/** Folders and files on the path that are not kebab-case, or whose name says nothing. */
export function badNames(path: string): readonly string[] {
  return path.split('/').flatMap((name) => {
    const stem = name.split('.')[0] ?? ''
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name)) return [`${path}: ${name} is not kebab-case`]
    const last = stem.split('-').at(-1) ?? ''
    return VAGUE_NAMES.includes(last) ? [`${path}: ${last} does not say what ${name} is about`] : []
  })
}

/** Exports that do not name what they export. */
export function badExports({ path, text }: Source): readonly string[] {
  const bad = /^[ \t]*export\s+(?:(?:type\s+)?\*|default\b|(?:type\s+)?\{[^}]*\bas\s+default\b)/gm
  return [...text.matchAll(bad)].map(([match]) => `${path}: ${match.trim()}`)
}

/** Files named index.ts that are neither in `entries` nor a dialect's or an agent's. */
export function strayIndexes(paths: readonly string[], entries: readonly string[]): readonly string[] {
  return paths
    .filter((path) => /\/index\.tsx?$/.test(path) && !entries.includes(path))
    .filter((path) => path !== `${DIALECTS}/${dialectOf(path)}/index.ts` && agentOf(path) === undefined)
    .map((path) => `${path}: is neither a published entry nor a dialect or an agent`)
}

/** The sources that a package.json publishes. */
export function publishedEntries({ path, text }: Source): readonly string[] {
  const targets = JSON.stringify(JSON.parse(text).exports ?? {}).matchAll(/"\.\/(src\/[^"]+)"/g)
  return [...targets].map(([, target = '']) => targetOf(path, target))
}
