import type { Source } from './source.ts'

/** Scripts that npm would run automatically during an install. */
export function installScripts({ path, text }: Source): readonly string[] {
  return ['preinstall', 'install', 'postinstall', 'prepare']
    .filter((name) => JSON.parse(text).scripts?.[name] !== undefined)
    .map((name) => `${path}: has the script ${name}`)
}

/** Packages that two manifests require in different versions: the command is bundled from both. */
export function differingRanges(manifests: readonly Source[]): readonly string[] {
  const known = new Map<string, Source & { readonly range: string }>()
  return manifests.flatMap((manifest) =>
    Object.entries<string>(JSON.parse(manifest.text).dependencies ?? {}).flatMap(([name, range]) => {
      const other = known.get(name) ?? { ...manifest, range }
      known.set(name, other)
      return other.range === range ? [] : [`${manifest.path}: ${name} is ${other.range} in ${other.path}`]
    }),
  )
}
