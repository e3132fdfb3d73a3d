import { spawnSync } from 'node:child_process'

/** The packages that may have an install script, and what it does. `.npmrc` keeps npm from running it. */
export const SCRIPTED_PACKAGES: Readonly<Record<string, string>> = {
  lmdb: 'compiles where no platform package holds the binary',
  'msgpackr-extract': 'compiles where no platform package holds the binary',
}

interface LockEntry {
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly inBundle?: boolean
  readonly hasInstallScript?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const entriesOf = (text: string): Readonly<Record<string, LockEntry>> => JSON.parse(text).packages
const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? path

/** What ties a package-lock.json to one registry or to one platform. */
export function badLockEntries(text: string): readonly string[] {
  const packages = entriesOf(text)
  const hosts = [...text.matchAll(/https?:\/\/([^/\s":]+)/g)].map(([, host = '']) => host)
  const installed = new Set(Object.keys(packages).map(nameOf))
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

/**
 * Packages that npm would install without checking their SHA-512. Links and workspaces are not downloaded,
 * and a bundled package is part of the tarball that bundles it.
 */
export function unverifiedEntries(text: string): readonly string[] {
  return Object.entries(entriesOf(text))
    .filter(([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle)
    .filter(([, { integrity = '' }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
    .map(([path]) => `${path}: has no SHA-512 as its integrity`)
}

/** The packages of a package-lock.json that have an install script. */
export function scriptedPackages(text: string): readonly string[] {
  return Object.entries(entriesOf(text))
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path))
}

/** Ranges that the folder's package-lock.json does not satisfy, in the words of npm; needs no network. */
export function unsatisfiedRanges(folder: string): readonly string[] {
  const { stdout } = spawnSync('npm', ['ls', '--all', '--package-lock-only', '--json', '--offline'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  })
  return JSON.parse(stdout).problems ?? []
}
