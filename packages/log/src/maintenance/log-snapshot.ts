import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { SluiceError } from '@sluice/protocol'
import { assertReadable } from '../drivers/lmdb/format.ts'
import { openStore, type Store, type StoreReader, storeFile } from '../drivers/lmdb/store.ts'

/** Opens the log of a data directory for reading, beside its owner if it has one. Rejects with `unreadable_input`. */
export async function openForReading(directory: string): Promise<Store> {
  try {
    await access(join(directory, storeFile))
  } catch (cause) {
    throw new SluiceError('unreadable_input', { message: 'There is no log in this directory.', cause })
  }
  return openStore(directory, { readOnly: true })
}

/** Runs `look` on one state of the log, whatever its owner writes meanwhile. */
export async function withSnapshot<Result>(
  directory: string,
  look: (reader: StoreReader) => Promise<Result> | Result,
): Promise<Result> {
  const store = await openForReading(directory)
  try {
    const snapshot = store.snapshot()
    try {
      assertReadable(snapshot)
      return await look(snapshot)
    } finally {
      snapshot.release()
    }
  } finally {
    await store.close()
  }
}
