import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { SluiceError } from '@sluice/protocol'

/**
 * The text of a file that is a secret or decides where one is sent; undefined when there is none. Throws
 * `bad_config` for a link, for a file of another user, and for a file that others may use in the forbidden
 * way.
 */
export async function readOwnFile(path: string, forbidden: 'read' | 'write'): Promise<string | undefined> {
  const file = await openPlain(path)
  if (file === undefined) return undefined
  try {
    const { mode, uid } = await file.stat()
    const self = process.getuid?.()
    // Windows has no such modes: every file looks accessible to all.
    if (self !== undefined) {
      if (self !== 0 && uid !== self && uid !== 0)
        throw new SluiceError('bad_config', { message: `${path} belongs to another user and is not used.` })
      if ((mode & (forbidden === 'read' ? 0o077 : 0o022)) !== 0)
        throw new SluiceError('bad_config', {
          message: `Others may ${forbidden} ${path}, so it is not used. To keep it: chmod 600 ${path}`,
        })
    }
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

async function openPlain(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code !== 'ELOOP') return undefined
    throw new SluiceError('bad_config', { message: `${path} is a link and is not used.`, cause })
  }
}
