import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/**
 * The path of a program: `name` itself if it is a path, otherwise the first executable with that name on the
 * path.
 */
export async function findProgram(name: string, path: string | undefined): Promise<string | undefined> {
  if (isAbsolute(name) || name.includes('/')) return (await isProgram(name)) ? resolve(name) : undefined
  for (const folder of (path ?? '').split(delimiter)) {
    const candidate = join(folder, name)
    if (folder !== '' && (await isProgram(candidate))) return candidate
  }
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
