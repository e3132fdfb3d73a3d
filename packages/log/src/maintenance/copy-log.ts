import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createSystemClock, SluiceError } from '@sluice/protocol'
import { damagedData } from '../drivers/lmdb/damage.ts'
import { assertReadable, draftFile, putDraftInPlace } from '../drivers/lmdb/format.ts'
import { lockDirectory } from '../drivers/lmdb/owner-lock.ts'
import { privateDirectoryMode, privateFileMode } from '../drivers/lmdb/private-files.ts'
import { toStorageError } from '../drivers/lmdb/storage-error.ts'
import { openStore, type Store, storeFile } from '../drivers/lmdb/store.ts'
import { toTailContents } from '../drivers/lmdb/tail-contents.ts'
import { listTailFiles, tailFileName } from '../drivers/lmdb/tail-file.ts'
import { readTailPlace, type TailPlace } from '../drivers/lmdb/tail-place.ts'
import { assertLog, openForReading } from './log-snapshot.ts'
import { closeTailFiles, openTailFiles, readOpenFiles } from './open-tail-files.ts'

export interface Compaction {
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/**
 * Rewrites the log without the space that deleted sessions left, and replaces it in one step: a crash leaves
 * either the old or the rewritten log. Rejects with `data_in_use` while the log has an owner.
 */
export async function compactLog(directory: string): Promise<Compaction> {
  await assertLog(directory)
  const lock = await lockDirectory(directory, createSystemClock())
  const path = join(directory, storeFile)
  const draft = join(directory, draftFile)
  try {
    const bytesBefore = (await stat(path)).size
    await rm(draft, { force: true })
    const store = openStore(directory)
    try {
      assertReadable(store)
      await store.copy(draft, { compact: true })
    } finally {
      await store.close()
    }
    await putDraftInPlace(directory)
    return { bytesBefore, bytesAfter: (await stat(path)).size }
  } catch (error) {
    throw toStorageError(error)
  } finally {
    await rm(draft, { force: true })
    await lock.release()
  }
}

/**
 * Copies one state of a log, even while its owner runs; a session that is deleted meanwhile may be in the
 * copy. Rejects with `bad_request` when the target is not empty.
 */
export async function backupLog(directory: string, target: string): Promise<void> {
  const store = await openForReading(directory)
  try {
    assertReadable(store)
    await assertEmpty(target)
    while (!(await copyStoreAndTail(store, directory, target))) {
      // The tail moved to its next file after its files were opened and before the store was copied.
    }
    await putDraftInPlace(target)
  } catch (error) {
    throw toStorageError(error)
  } finally {
    await store.close()
  }
}

/** False when the tail files that were opened first do not continue the copied state. */
async function copyStoreAndTail(store: Store, directory: string, target: string): Promise<boolean> {
  // Opened before the copy: the owner removes a file once a later state of the store does not need it.
  const files = await openTailFiles(directory, 0)
  try {
    await rm(join(target, draftFile), { force: true })
    await store.copy(join(target, draftFile), { compact: true })
    const place = await readDraftPlace(target)
    if (place === undefined) return true
    const following = files.filter(({ number }) => number >= place.file)
    if (following[0]?.number !== place.file) {
      await assertMovedOn(store, directory, place)
      return false
    }
    const contents = toTailContents(await readOpenFiles(following), place)
    for (const { number, salt, end, bytes } of contents.files) {
      if (salt === undefined) continue
      await writeFile(join(target, tailFileName(number)), bytes.subarray(0, end), {
        flush: true,
        mode: privateFileMode,
      })
    }
    return true
  } finally {
    await closeTailFiles(files)
  }
}

async function readDraftPlace(directory: string): Promise<TailPlace | undefined> {
  const store = openStore(directory, { readOnly: true, file: draftFile, isTrusted: true })
  try {
    return readTailPlace(store)
  } finally {
    await store.close()
    await rm(join(directory, `${draftFile}-lock`), { force: true })
  }
}

async function assertMovedOn(store: Store, directory: string, { file }: TailPlace): Promise<void> {
  if ((await listTailFiles(directory)).includes(file)) return
  const snapshot = store.snapshot()
  const now = readTailPlace(snapshot)
  snapshot.release()
  if (now?.file !== file) return
  throw damagedData(`${tailFileName(file)} is missing.`)
}

/** Restores a backup into a data directory. Rejects with `bad_request` when the directory is not empty. */
export async function restoreLog(source: string, directory: string): Promise<void> {
  await assertLog(source)
  try {
    await assertEmpty(directory)
    const store = await openForReading(source)
    try {
      assertReadable(store)
    } finally {
      await store.close()
    }
    for (const name of (await listTailFiles(source)).map(tailFileName)) {
      await copyPrivately(join(source, name), join(directory, name))
      await sync(join(directory, name))
    }
    await copyPrivately(join(source, storeFile), join(directory, draftFile))
    await putDraftInPlace(directory)
  } catch (error) {
    throw toStorageError(error)
  }
}

/** copyFile() would give the copy the mode of its source. */
async function copyPrivately(source: string, target: string): Promise<void> {
  await pipeline(createReadStream(source), createWriteStream(target, { flags: 'wx', mode: privateFileMode }))
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function assertEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: privateDirectoryMode })
  if ((await readdir(directory)).length > 0) {
    throw new SluiceError('bad_request', { message: 'The target directory is not empty.' })
  }
}
