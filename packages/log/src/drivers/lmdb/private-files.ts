import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The modes of everything that holds data: nobody but its owner may look, whatever the umask. */
export const privateFileMode = 0o600
export const privateDirectoryMode = 0o700

const logFiles = /^(log\.mdb(-lock)?|owner\.lock|tail-\d{1,15}\.log)$/

/** Takes away what others may do with the files of a log, such as one that was copied here. */
export async function tightenFiles(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => logFiles.test(name))
  // Files of another owner are for that owner to change.
  await Promise.all(names.map((name) => chmod(join(directory, name), privateFileMode).catch(() => {})))
}

/**
 * Lets `write` make a file with a mode of its own choice, out of sight in a directory beside its place, and puts it
 * there when it is private.
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
