import type { Source } from './source.ts'

/** Scripts that npm would run by itself when it installs. */
export function installScripts({ path, text }: Source): readonly string[] {
  return ['preinstall', 'install', 'postinstall', 'prepare']
    .filter((name) => JSON.parse(text).scripts?.[name] !== undefined)
    .map((name) => `${path}: has the script ${name}`)
}

interface LockEntry {
  readonly resolved?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** What ties a package-lock.json to one registry or to one platform. */
export function badLockEntries(text: string): readonly string[] {
  const packages: Readonly<Record<string, LockEntry>> = JSON.parse(text).packages
  const hosts = [...text.matchAll(/https?:\/\/([^/\s":]+)/g)].map(([, host = '']) => host)
  const installed = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
  return [
    ...Object.entries(packages)
      .filter(
        ([, { resolved, link }]) => resolved !== undefined && !(link && /^(packages|apps)\//.test(resolved)),
      )
      .map(([name]) => `${name}: says where it was downloaded from`),
    ...hosts
      .filter((host) => !host.includes('.') || /^[\d.]+$|\.(local|internal|lan)$/.test(host))
      .map((host) => `${host}: is a private address`),
    // `npm ci` refuses a lock file that lacks the packages of another platform.
    ...Object.values(packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => !installed.has(name))
      .map((name) => `${name}: is optional and has no entry`),
  ]
}
