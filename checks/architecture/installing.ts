import type { Source } from './source.ts'

/** Scripts that npm would run by itself when it installs. */
export function installScripts({ path, text }: Source): readonly string[] {
  return ['preinstall', 'install', 'postinstall', 'prepare']
    .filter((name) => JSON.parse(text).scripts?.[name] !== undefined)
    .map((name) => `${path}: has the script ${name}`)
}
