import type { Source } from './source.ts'

/** The files that may have such a switch, and why. */
const OPEN_SWITCHES: Readonly<Record<string, string>> = {
  'packages/gateway/src/features/aaep/pacing/event-types.ts':
    'A kind without a type of AAEP has one of Sluice.',
}

// Biome formats every file, so a block ends at the indentation at which it begins.
const switchOverKind = /^( *)switch \((?:[^\n]*\.)?kind\) \{\n([\s\S]*?)^\1\}/gm

/** Switches over the kind of a value that have a default, which hides an unhandled new kind. */
function openSwitches({ path, text }: Source): readonly string[] {
  return [...text.matchAll(switchOverKind)]
    .filter(([, indent, body = '']) => new RegExp(`^${indent}  default:`, 'm').test(body))
    .map(([match]) => `${path}: ${match.split('\n', 1)[0]?.trim()} has a default`)
}

/** Switches in `sources` that `allowed` does not name, and files in `allowed` without one. */
export function strayDefaults(
  sources: readonly Source[],
  allowed: Readonly<Record<string, string>> = OPEN_SWITCHES,
): readonly string[] {
  const open = sources.filter((source) => openSwitches(source).length > 0)
  return [
    ...open.filter(({ path }) => !Object.hasOwn(allowed, path)).flatMap(openSwitches),
    ...Object.keys(allowed)
      .filter((path) => !open.some((source) => source.path === path))
      .map((path) => `${path}: has no such switch, so it needs no place on the list`),
  ]
}
