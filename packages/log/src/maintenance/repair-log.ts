import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSystemClock, SluiceError } from '@sluice/protocol'
import { lockDirectory } from '../drivers/lmdb/owner-lock.ts'
import { privateDirectoryMode } from '../drivers/lmdb/private-files.ts'
import { toStorageError } from '../drivers/lmdb/storage-error.ts'
import { storeFile } from '../drivers/lmdb/store.ts'
import { listTailFiles, syncDirectory, tailFileName } from '../drivers/lmdb/tail-file.ts'
import type { OnLoss } from './log-loss.ts'
import { salvageLog } from './salvage/salvage-log.ts'
import { verifyLog } from './verify-log.ts'

const draftFolder = 'repair.draft'

export interface Repair {
  /** The folder in the data directory that has the files as they were; undefined if nothing was damaged. */
  readonly kept: string | undefined
}

/**
 * Replaces a damaged log with a whole one that has everything that can be read, and keeps the files as they
 * were in a folder beside it. Reports what is lost. A crash leaves the old log or the new one. Rejects with
 * `data_in_use` while the log has an owner, with `unreadable_input` if there is none.
 */
export async function repairLog(directory: string, onLoss: OnLoss): Promise<Repair> {
  const names = await logFilesIn(directory)
  if (names.length === 0)
    throw new SluiceError('unreadable_input', { message: 'There is no log in this directory.' })
  const lock = await lockDirectory(directory, createSystemClock())
  const draft = join(directory, draftFolder)
  try {
    const { problems } = await verifyLog(directory, () => {})
    if (problems === 0) return { kept: undefined }
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: privateDirectoryMode })
    await salvageLog(directory, draft, onLoss)
    const kept = await keepFiles(directory, names)
    await putInPlace(directory, draft)
    return { kept }
  } catch (error) {
    throw toStorageError(error)
  } finally {
    await rm(draft, { recursive: true, force: true })
    await lock.release()
  }
}

async function logFilesIn(directory: string): Promise<readonly string[]> {
  const tailNames = (await listTailFiles(directory)).map(tailFileName)
  return (await readdir(directory)).filter((name) => name === storeFile || tailNames.includes(name))
}

/** Gives every file a second name in a new folder. */
async function keepFiles(directory: string, names: readonly string[]): Promise<string> {
  const folder = await makeFolder(directory)
  for (const name of names) {
    const target = join(folder, name)
    // Some file systems have no links.
    await link(join(directory, name), target).catch(() => copyFile(join(directory, name), target))
  }
  await syncDirectory(folder)
  await syncDirectory(directory)
  return folder
}

async function makeFolder(directory: string): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = join(directory, `damaged-${number}`)
    try {
      await mkdir(folder, { mode: privateDirectoryMode })
      return folder
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

async function putInPlace(directory: string, draft: string): Promise<void> {
  const [number = 0] = await listTailFiles(draft)
  // The old store does not mind another empty file, and the new one needs it.
  await rename(join(draft, tailFileName(number)), join(directory, tailFileName(number)))
  await syncDirectory(directory)
  await rename(join(draft, storeFile), join(directory, storeFile))
  await syncDirectory(directory)
  for (const old of await listTailFiles(directory))
    if (old < number) await rm(join(directory, tailFileName(old)), { force: true })
}
