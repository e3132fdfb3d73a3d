import { type Clock, SluiceError, type Timer } from '@sluice/protocol'
import { bringUpToDate } from './format.ts'
import { freeBytes } from './free-space.ts'
import { chunkKey } from './keys.ts'
import { toStorageError } from './storage-error.ts'
import { openStore, type Store, type StoreBatch, type StoreReader } from './store.ts'
import { loadTail, type Tail } from './tail.ts'

const firstProbeMs = 200
const lastProbeMs = 5000
const probeKey = Buffer.from('probe')
const minProbeBytes = 64 * 1024

/** A store with its tail that outlives failed writes: it is opened again, and tried until it can be written. */
export interface Storage {
  /**
   * Calls `look` when the store can be read, at once if it can be now. Rejects with what `look` throws, and with
   * `storage_failed` while the store cannot be opened.
   */
  read<Result>(look: (store: StoreReader, tail: Tail) => Result): Promise<Result>
  /** Not to be kept over an await: after a failure it is another one. Only where failure() is undefined. */
  store(): StoreReader
  tail(): Tail
  /** As Store.write(). After a rejection failure() tells why, until writing works again. */
  write(size: number, fill: (batch: StoreBatch) => void): Promise<void>
  failure(): SluiceError | undefined
  close(): Promise<void>
}

export async function openStorage(directory: string, clock: Clock, onChange: () => void): Promise<Storage> {
  let store: Store = openStore(directory)
  let tail: Tail
  try {
    await bringUpToDate(store)
    tail = loadTail(store)
  } catch (error) {
    await store.close()
    throw error
  }
  let failure: SluiceError | undefined
  let unreadable: SluiceError | undefined
  let reopening: Promise<void> | undefined
  let closed = false
  let recovery = Promise.resolve()
  let wait: { timer: Timer; done: () => void } | undefined

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        wait = undefined
        resolve()
      }
      wait = { timer: clock.after(ms, done), done }
    })
  }

  /** A chunk from `endChunk` on was refused to its writers, so it must not come back. */
  async function reopen(endChunk: number): Promise<void> {
    try {
      await store.close()
      store = openStore(directory)
      tail = loadTail(store, endChunk)
      unreadable = undefined
    } catch (error) {
      unreadable = toStorageError(error)
    }
  }

  async function probe(endChunk: number, size: number): Promise<void> {
    await store.write((batch) => {
      batch.put('meta', probeKey, Buffer.alloc(size))
      batch.remove('tail', chunkKey(endChunk))
    })
    await store.write((batch) => batch.remove('meta', probeKey))
  }

  async function recover(endChunk: number, size: number): Promise<void> {
    let delayMs = firstProbeMs
    while (!closed) {
      reopening = reopen(endChunk)
      await reopening
      reopening = undefined
      if (!closed) await pause(delayMs)
      delayMs = Math.min(lastProbeMs, delayMs * 2)
      if (closed || unreadable !== undefined) continue
      try {
        await probe(endChunk, size)
        failure = undefined
        onChange()
        return
      } catch (error) {
        const next = await explain(directory, toStorageError(error), size)
        if (next.code !== failure?.code) {
          failure = next
          onChange()
        }
      }
    }
  }

  return {
    async read(look) {
      // No await between the last question and the look.
      while (reopening !== undefined) await reopening
      if (unreadable !== undefined) throw unreadable
      try {
        return look(store, tail)
      } catch (error) {
        throw toStorageError(error)
      }
    },
    store: () => store,
    tail: () => tail,
    async write(size, fill) {
      if (failure !== undefined) throw failure
      try {
        await store.write(fill)
      } catch (error) {
        const found = await explain(directory, toStorageError(error), size)
        failure = found
        recovery = recover(tail.nextChunk, Math.max(minProbeBytes, size))
        onChange()
        throw found
      }
    },
    failure: () => failure,
    async close() {
      closed = true
      wait?.timer.clear()
      wait?.done()
      await recovery
      if (unreadable === undefined) await store.close()
    },
  }
}

// A write that the disk takes only in part fails as an error of the device, so that the disk has to be asked.
async function explain(directory: string, error: SluiceError, size: number): Promise<SluiceError> {
  if (error.code !== 'storage_failed' || (await freeBytes(directory)) > 2 * size + minProbeBytes) return error
  return new SluiceError('storage_full', { cause: error.cause })
}
