import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'
import { addDirsKey } from './extension-keys.ts'
import { invalidRequest } from './refusal.ts'
import { trimWhiteSpace } from './trim-white-space.ts'

const maxDirs = 16
const maxDirBytes = 1024

/**
 * The further directories of a request: absolute, normalised by their letters alone, each once, in the order in which
 * they were first named. Links are not followed, `~` and variables stand for themselves.
 */
export function readAddDirs(extensions: JsonObject, cwd: string): readonly string[] {
  const value = extensions[addDirsKey]
  if (value === undefined) return []
  if (!isJsonObject(value) || Object.keys(value).join() !== 'dirs')
    throw invalidRequest(`invalid ${addDirsKey}`)
  const { dirs } = value
  if (!Array.isArray(dirs) || dirs.length === 0 || dirs.length > maxDirs)
    throw invalidRequest(`invalid ${addDirsKey}.dirs`)
  const found = dirs.map((dir: JsonValue, index) => {
    const path = toDirectory(dir, cwd)
    if (path === undefined) throw invalidRequest(`invalid ${addDirsKey}.dirs[${index}]`)
    return path
  })
  return [...new Set(found)]
}

function toDirectory(value: JsonValue, cwd: string): string | undefined {
  const name = typeof value === 'string' ? trimWhiteSpace(value) : ''
  if (name === '' || Buffer.byteLength(name) > maxDirBytes) return undefined
  const path = resolve(cwd, name)
  return isDirectory(path) ? path : undefined
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
