import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { addDirsKey, invalidAddDirs, parseAddDirs } from '@sluice/protocol'
import type { PolicyInput } from './policy-input.ts'

/**
 * The further directories of a request. Directories that somebody has already checked are used unchanged.
 * Those of the extension become absolute and are normalised as text, without duplicates, in the order in
 * which they first appear. Links are not followed; `~` and variables are not expanded.
 */
export function readAddDirs({
  extensions,
  addDirs,
  cwd,
}: Pick<PolicyInput, 'extensions' | 'addDirs' | 'cwd'>): readonly string[] {
  const value = extensions[addDirsKey]
  if (addDirs !== undefined) {
    // Only one of the two was checked.
    if (value !== undefined) throw invalidAddDirs('')
    return addDirs
  }
  if (value === undefined) return []
  const found = parseAddDirs(value).map((name, index) => {
    const path = resolve(cwd, name)
    if (!isDirectory(path)) throw invalidAddDirs(`.dirs[${index}]`)
    return path
  })
  return [...new Set(found)]
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
