import { type Clock, SluiceError, type Timer } from '@sluice/protocol'
import { damagedData } from './damage.ts'
import { openOwnStore } from './format.ts'
import { freeBytes } from './free-space.ts'
import { keepTorn } from './keep-torn.ts'
import { planRegroup, type Regroup } from './regroup.ts'
import { toStorageError } from './storage-error.ts'
import { openStore, type Store, type StoreReader } from './store.ts'
import { loadTail, type Tail } from './tail.ts'
import { readTailContents, type TailContents, type TornTail } from './tail-contents.ts'
import { readTailPlace } from './tail-place.ts'
import { openTailWriter, type TailWriter } from './tail-writer.ts'

const firstProbeMs = 200
const lastProbeMs = 5000
const probeKey = Buffer.from('probe')
const minProbeBytes = 64 * 1024

/** A store and its tail that survive failed writes: reopens the store, and retries until it is writable. */
export interface Storage {
  /**
   * Calls `look` as soon as the store can be read. Rejects with the SluiceError of what `look` throws, and
   * with `storage_failed` while the store cannot be opened.
   */
  read<Result>(look: (store: StoreReader, tail: Tail) => Result): Promise<Result>
  /** Do not keep it across an await: a failure replaces it. Call it only while failure() is undefined. */
  store(): StoreReader
  tail(): Tail
  /** Makes a commit durable at the end of the tail; the caller adopts it. One at a time. */
  append(frame: Buffer): Promise<void>
  /** Creates the file for turn(). May run during an append. */
  prepareTurn(): Promise<void>
  /** Plans a regroup of all earlier commits; later commits belong to the next one. Not during append(). */
  turn(deletes: ReadonlySet<string>): Promise<Regroup>
  /** Executes a plan and adopts it. May run during an append. One at a time. */
  move(regroup: Regroup): Promise<void>
  /** Why writing fails: set from a rejection of one of the four methods above until writing works again. */
  failure(): SluiceError | undefined
  close(): Promise<void>
}

export interface StorageOptions {
  readonly directory: string
  readonly clock: Clock
  /** Called when failure() changes. */
  readonly onChange: () => void
  /** Called before an incomplete commit at the end of the tail is cut off. */
  readonly onTorn: (torn: TornTail) => void
}

export async function openStorage({ directory, clock, onChange, onTorn }: StorageOptions): Promise<Storage> {
  let store: Store = await openOwnStore(directory)
  let tail: Tail
  let writer: TailWriter
  try {
    const contents = await loadContents(Number.POSITIVE_INFINITY)
    tail = loadTail(store, contents.chunks)
    if (contents.torn !== undefined) {
      await keepTorn(directory, contents)
      onTorn(contents.torn)
    }
    writer = await openTailWriter(directory, contents)
    await writer.removeBefore(contents.place)
  } catch (error) {
    await store.close()
    throw toStorageError(error)
  }
  let failure: SluiceError | undefined
  let unreadable: SluiceError | undefined
  let reopening: Promise<TailContents | undefined> | undefined
  let closed = false
  let recovery = Promise.resolve()
  let wait: { timer: Timer; done: () => void } | undefined
  const underWay = new Set<Promise<unknown>>()

  async function loadContents(endCommit: number): Promise<TailContents> {
    const place = readTailPlace(store)
    if (place === undefined) throw damagedData('log.mdb does not say where the tail is.')
    return readTailContents(directory, place, endCommit)
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        wait = undefined
        resolve()
      }
      wait = { timer: clock.after(ms, done), done }
    })
  }

  /** Drops the commits from `endCommit` on: their writers received errors, so they must not reappear. */
  async function reopen(endCommit: number): Promise<TailContents | undefined> {
    try {
      await store.close()
      store = openStore(directory, { isTrusted: true })
      const contents = await loadContents(endCommit)
      tail = loadTail(store, contents.chunks)
      unreadable = undefined
      return contents
    } catch (error) {
      unreadable = toStorageError(error)
      return undefined
    }
  }

  /** Removes the rejected commits, continues in another file, and tries to write to it and to the store. */
  async function probe(contents: TailContents, size: number): Promise<void> {
    const next = await openTailWriter(directory, contents, { fresh: true })
    try {
      await next.probe(size)
      await store.write((batch) => batch.put('meta', probeKey, Buffer.alloc(size)))
      await store.write((batch) => batch.remove('meta', probeKey))
    } catch (error) {
      await next.close()
      throw error
    }
    writer = next
  }

  async function recover(size: number): Promise<void> {
    let delayMs = firstProbeMs
    await Promise.allSettled(underWay)
    const endCommit = writer.nextCommit()
    await writer.close()
    while (!closed) {
      reopening = reopen(endCommit)
      const contents = await reopening
      reopening = undefined
      if (!closed) await pause(delayMs)
      delayMs = Math.min(lastProbeMs, delayMs * 2)
      if (closed || contents === undefined) continue
      try {
        await probe(contents, size)
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

  /** Runs a write. If it fails, recovery starts once all writes in progress have ended. */
  async function attempt<Result>(size: number, work: () => Promise<Result>): Promise<Result> {
    if (failure !== undefined) throw failure
    const running = work().catch(async (error: unknown) => {
      throw await explain(directory, toStorageError(error), size)
    })
    underWay.add(running)
    try {
      return await running
    } catch (error) {
      underWay.delete(running)
      if (failure === undefined) {
        failure = toStorageError(error)
        recovery = recover(Math.max(minProbeBytes, size))
        onChange()
      }
      throw error
    } finally {
      underWay.delete(running)
    }
  }

  return {
    async read(look) {
      // There must be no await between the last of these checks and `look`.
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
    append: (frame) => attempt(frame.length, () => writer.append(frame)),
    prepareTurn: () => attempt(minProbeBytes, () => writer.prepare()),
    turn: (deletes) =>
      attempt(minProbeBytes, async () => planRegroup(store, tail, { place: await writer.turn(), deletes })),
    async move(regroup) {
      await attempt(regroup.bytes, async () => {
        await store.write(regroup.fill)
        regroup.adopt()
      })
      await writer.removeBefore(regroup.place)
    },
    failure: () => failure,
    async close() {
      closed = true
      wait?.timer.clear()
      wait?.done()
      await recovery
      await Promise.allSettled(underWay)
      if (failure === undefined) await writer.close()
      if (unreadable === undefined) await store.close()
    },
  }
}

// A partial write to a full disk fails with a device error, so the free space must be checked.
async function explain(directory: string, error: SluiceError, size: number): Promise<SluiceError> {
  if (error.code !== 'storage_failed' || (await freeBytes(directory)) > 2 * size + minProbeBytes) return error
  return new SluiceError('storage_full', { cause: error.cause })
}
