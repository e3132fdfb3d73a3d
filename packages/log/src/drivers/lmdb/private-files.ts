import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The modes of everything that holds data: only its owner has access, whatever the umask. */
export const privateFileMode = 0o600
export const privateDirectoryMode = 0o700

const logFiles = /^(log\.mdb(-lock)?|owner\.lock|tail-\d{1,15}\.log|torn-\d+-\d+\.bin)$/

/** Revokes the access of others to the files of a log, such as one that was copied here. */
export async function tightenFiles(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => logFiles.test(name))
  // Only the owner of a file can change its mode.
  await Promise.all(names.map((name) => chmod(join(directory, name), privateFileMode).catch(() => {})))
}

/**
 * Lets `write` create a file with any mode, inside a private directory beside `path`, and moves it to `path`
 * once its mode is private.
 */
export async function makeInPrivate(path: string, write: (draft: string) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(dirname(path), '.draft-'))
  try {
    const draft = join(folder, 'draft')
    await write(draft)
    await chmod(draft, privateFileMode)
    await rename(draft, path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
