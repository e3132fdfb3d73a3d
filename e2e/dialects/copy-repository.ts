import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const modules = 'node_modules'

export interface RepositoryCopy {
  readonly folder: string
  /** The files that were changed or added in the copy, sorted. */
  touched(): readonly string[]
}

/**
 * A copy of the sources in a temporary folder. Installed packages are links; `@sluice/…` resolves to the
 * copy.
 */
export function copyRepository(): RepositoryCopy {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-copy-')))
  const paths = listFiles(repository).filter((path) => existsSync(join(repository, path)))
  for (const path of paths) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    copyFileSync(join(repository, path), join(folder, path))
  }
  linkModules(folder)
  // The checks of the documentation ask git for the files of the repository.
  execFileSync('git', ['init', '-q'], { cwd: folder })
  const hashOf = (path: string): string =>
    createHash('sha1')
      .update(readFileSync(join(folder, path)))
      .digest('hex')
  const before = new Map(paths.map((path) => [path, hashOf(path)]))
  return {
    folder,
    touched: () =>
      listFiles(folder)
        .filter((path) => before.get(path) !== hashOf(path))
        .sort(),
  }
}

function linkModules(folder: string): void {
  mkdirSync(join(folder, modules, '@sluice'), { recursive: true })
  const installed = readdirSync(join(repository, modules))
  // Caches are written to, so each copy has its own.
  for (const name of installed.filter((entry) => entry !== '@sluice' && !entry.startsWith('.')))
    symlinkSync(join(repository, modules, name), join(folder, modules, name))
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join('..', '..', 'packages', name), join(folder, modules, '@sluice', name))
}

/** The files that git tracks, or would add. */
function listFiles(folder: string): readonly string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: folder,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => path !== '')
}
