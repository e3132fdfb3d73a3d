import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import { isDamage } from '../drivers/lmdb/damage.ts'
import { assertNeverWritten, assertReadable, tailTableChunks } from '../drivers/lmdb/format.ts'
import {
  openStore,
  type Store,
  type StoreReader,
  type StoreSnapshot,
  storeFile,
} from '../drivers/lmdb/store.ts'
import { type FoundFile, type TailContents, toTailContents } from '../drivers/lmdb/tail-contents.ts'
import { readTailPlace, type TailPlace } from '../drivers/lmdb/tail-place.ts'
import { closeTailFiles, openTailFiles, readOpenFiles } from './open-tail-files.ts'

/**
 * Rejects with `unreadable_input` if the directory never had a log, and with `damaged_data` if its store is
 * missing.
 */
export async function assertLog(directory: string): Promise<void> {
  try {
    await access(join(directory, storeFile))
  } catch (cause) {
    await assertNeverWritten(directory).catch((error: unknown) => {
      if (isDamage(error)) throw error
    })
    throw new SluiceError('unreadable_input', { message: 'There is no log in this directory.', cause })
  }
}

/** Opens the log of a data directory for reading, even while its owner runs. Rejects like assertLog(). */
export async function openForReading(directory: string): Promise<Store> {
  await assertLog(directory)
  return openStore(directory, { readOnly: true })
}

/** One state of a log. */
export interface LogSnapshot {
  readonly reader: StoreReader
  /** The commits that are not in the tables yet, in order, and what follows them. Throws `damaged_data`. */
  readTail(): SnapshotTail
}

export interface SnapshotTail extends Pick<TailContents, 'torn'> {
  readonly chunks: Iterable<Buffer>
}

/**
 * Runs `look` on one state of the log, unaffected by what its owner writes meanwhile. A session that is being
 * deleted may or may not be in it.
 */
export async function withSnapshot<Result>(
  directory: string,
  look: (snapshot: LogSnapshot) => Promise<Result> | Result,
): Promise<Result> {
  const opened = await openSnapshot(directory)
  try {
    return await look(opened)
  } finally {
    await opened.release()
  }
}

/** Like withSnapshot(), but the caller releases the snapshot. */
export async function openSnapshot(directory: string): Promise<LogSnapshot & { release(): Promise<void> }> {
  const store = await openForReading(directory)
  let reader: StoreSnapshot | undefined
  try {
    let lastPlace: TailPlace | undefined
    for (;;) {
      reader = store.snapshot()
      assertReadable(reader)
      const place = readTailPlace(reader)
      const files = place === undefined ? [] : await readTailFiles(directory, place)
      // The owner removes the first file once a later state of the store names another one.
      if (files !== undefined || place?.file === lastPlace?.file) {
        const snapshot = reader
        return {
          reader: snapshot,
          readTail: () =>
            place === undefined
              ? { chunks: tailTableChunks(snapshot), torn: undefined }
              : toTailContents(files ?? [], place),
          async release() {
            snapshot.release()
            await store.close()
          },
        }
      }
      lastPlace = place
      reader.release()
      reader = undefined
    }
  } catch (error) {
    reader?.release()
    await store.close()
    throw error
  }
}

/** Undefined when the first file is missing. */
async function readTailFiles(
  directory: string,
  place: TailPlace,
): Promise<readonly Pick<FoundFile, 'number' | 'bytes'>[] | undefined> {
  const files = await openTailFiles(directory, place.file)
  try {
    return files[0]?.number === place.file ? await readOpenFiles(files) : undefined
  } finally {
    await closeTailFiles(files)
  }
}
