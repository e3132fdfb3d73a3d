import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { addDirsKey, invalidAddDirs, parseAddDirs } from '@sluice/protocol'
import type { PolicyInput } from './policy-input.ts'

/**
 * The further directories of a request. Those that somebody has checked are used as they are. Those of the extension
 * become absolute, normalised by their letters alone, each once, in the order in which they were first named: links are
 * not followed, `~` and variables stand for themselves.
 */
export function readAddDirs({
  extensions,
  addDirs,
  cwd,
}: Pick<PolicyInput, 'extensions' | 'addDirs' | 'cwd'>): readonly string[] {
  const value = extensions[addDirsKey]
  if (addDirs !== undefined) {
    // Of two readings only one was checked.
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
