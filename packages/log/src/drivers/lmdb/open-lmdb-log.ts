import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, SluiceError, type Timer } from '@sluice/protocol'
import type { Append, Log, LogHealth, LogRecord } from '../../log.ts'
import { createBells } from '../bells.ts'
import { chooseToRetire, type EndedSession } from '../retention.ts'
import { tailSession } from '../tail-session.ts'
import { advanceHead, createWriters } from '../writers.ts'
import { appendBytes, type ChunkAppend, encodeCommitChunk, encodeExtra } from './commit-chunk.ts'
import { watchFreeSpace } from './free-space.ts'
import { chunkKey, nameBytes, readPlaceKey, sessionKey } from './keys.ts'
import { lockDirectory } from './owner-lock.ts'
import { listHeads, listMarks, readCheckpoint, readHead, readRecords } from './reading.ts'
import { planRegroup } from './regroup.ts'
import { openStorage } from './storage.ts'
import { toStorageError } from './storage-error.ts'
import { type StoreReader, storeFile } from './store.ts'
import { systemClock } from './system-clock.ts'
import { adoptAppend, enterTail, type TailSession } from './tail.ts'
import { createWriteLoop, type Waiting } from './write-loop.ts'

export interface LmdbLogOptions {
  /** Made if it does not exist. One process at a time may have it open. */
  readonly directory: string
  readonly clock?: Clock
  /** Appends are refused with `storage_full` while the disk has less left. 0 turns this off. */
  readonly minFreeBytes?: number
  /** Appends are refused with `overloaded` while more than this waits to become durable. */
  readonly maxWaitingBytes?: number
  readonly maxWaitingAppends?: number
  /** The tail is regrouped by session when it has grown to this size, or after this time. */
  readonly regroupBytes?: number
  readonly regroupAfterMs?: number
}

const mebibyte = 1024 * 1024
const retireAtOnce = 64

interface TakenAppend extends ChunkAppend, Waiting {
  readonly entry: TailSession
  readonly head: NonNullable<TailSession['head']>
  readonly marks: Append['marks']
  resolve(): void
}

/**
 * Opens the durable log of a data directory. Rejects with `data_in_use` while another process has it open, with
 * `newer_data`, `damaged_data`, and as the log's methods do.
 */
export async function openLmdbLog(options: LmdbLogOptions): Promise<Log> {
  const { directory, clock = systemClock, minFreeBytes = 64 * mebibyte } = options
  const { regroupBytes = 8 * mebibyte, regroupAfterMs = 5000 } = options
  const { maxWaitingBytes = 32 * mebibyte, maxWaitingAppends = 50_000 } = options
  try {
    await mkdir(directory, { recursive: true })
  } catch (error) {
    throw toStorageError(error)
  }
  const lock = await lockDirectory(directory, clock)
  const listeners = new Set<(health: LogHealth) => void>()
  const bells = createBells()
  const writers = createWriters()
  let lastHealth: LogHealth = { writable: true }
  let closing: Promise<void> | undefined
  let regroupTimer: Timer | undefined
  let regroupDue = false

  const storage = await openStorage(directory, clock, tellHealth).catch(async (error: unknown) => {
    await lock.release()
    throw error
  })
  const freeSpace = await watchFreeSpace(directory, minFreeBytes, clock, tellHealth)
  lastHealth = health()

  const loop = createWriteLoop<TakenAppend>(
    {
      commit,
      upkeep() {
        const { bytes } = storage.tail()
        if (storage.failure() !== undefined || bytes === 0 || !(regroupDue || bytes >= regroupBytes))
          return undefined
        return regroup().catch(() => {}) // failure() tells
      },
      failure: () => storage.failure(),
    },
    { maxWaitingBytes, maxWaitingItems: maxWaitingAppends },
  )
  if (storage.tail().bytes > 0) scheduleRegroup()

  function health(): LogHealth {
    const failure = storage.failure()
    if (failure !== undefined) {
      const code = failure.code === 'storage_full' ? 'storage_full' : 'storage_failed'
      return { writable: false, code, recovers: true }
    }
    return freeSpace.isLow() ? { writable: false, code: 'storage_full', recovers: true } : { writable: true }
  }

  function tellHealth(): void {
    const next = health()
    if (next.writable === lastHealth.writable && (next.writable || next.code === codeOf(lastHealth))) return
    lastHealth = next
    // Later, so that a listener's exception is its own and stops nothing here.
    for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener(next))
  }

  function scheduleRegroup(): void {
    regroupTimer ??= clock.after(regroupAfterMs, () => {
      regroupTimer = undefined
      regroupDue = true
      loop.wake()
    })
  }

  async function commit(appends: readonly TakenAppend[]): Promise<void> {
    const { bytes, pieces } = encodeCommitChunk(appends)
    const tail = storage.tail()
    try {
      await storage.write(bytes.length, (batch) => batch.put('tail', chunkKey(tail.nextChunk), bytes))
    } catch (error) {
      for (const append of appends) append.reject(toStorageError(error))
      return
    }
    tail.nextChunk += 1
    tail.bytes += bytes.length
    appends.forEach(({ entry, head, marks, resolve }, index) => {
      const piece = pieces[index]
      if (piece !== undefined) adoptAppend(tail, entry, head, piece, marks)
      entry.waiting -= 1
      if (entry.waiting === 0) entry.taken = undefined
      if (head.endedAt !== undefined) writers.forget(head.session)
      resolve()
      bells.ring(head.session)
    })
    freeSpace.check()
    scheduleRegroup()
  }

  async function regroup(deletes: ReadonlySet<string> = new Set()): Promise<void> {
    const plan = planRegroup(storage.store(), storage.tail(), deletes)
    await storage.write(storage.tail().bytes, plan.fill)
    plan.adopt()
    regroupDue = false
    for (const session of deletes) {
      writers.forget(session)
      bells.ring(session)
    }
  }

  function refusal(append: Append, entry: TailSession | undefined): SluiceError | undefined {
    if (closing !== undefined) return new SluiceError('closed')
    const failure = storage.failure()
    if (failure !== undefined) return failure
    const deleted = entry === undefined || entry.deleting
    return writers.refusal(append, { head: entry?.taken ?? entry?.head, deleted })
  }

  function take(append: Append): Promise<void> {
    const { lease, firstSeq, records, at, marks } = append
    const open = closing === undefined && storage.failure() === undefined
    const entry = open ? enterTail(storage.store(), storage.tail(), lease.session) : undefined
    const refused = refusal(append, entry)
    if (refused !== undefined || entry === undefined) {
      throw refused ?? new SluiceError('session_deleted', { details: { session: lease.session } })
    }
    if (marks !== undefined) for (const name of Object.keys(marks)) nameBytes(name)
    const extra = encodeExtra(append)
    let recordBytes = 0
    for (const record of records) recordBytes += record.length
    const size = appendBytes(entry.sessionBytes, extra, records.length, recordBytes)
    if (freeSpace.isLow()) throw new SluiceError('storage_full')
    if (!loop.hasRoom(size)) throw new SluiceError('overloaded')
    const head = advanceHead(entry.taken ?? entry.head, append, records.length, recordBytes)
    entry.taken = head
    entry.waiting += 1
    return new Promise((resolve, reject) => {
      loop.push({
        sessionBytes: entry.sessionBytes,
        firstSeq,
        at,
        ends: append.ends === true,
        extra,
        records,
        size,
        entry,
        head,
        marks,
        resolve,
        reject,
      })
    })
  }

  /** The store and its tail, good until the next await. */
  async function reading(): Promise<[StoreReader, ReturnType<typeof storage.tail>]> {
    await storage.readable()
    if (closing !== undefined) throw new SluiceError('closed')
    return [storage.store(), storage.tail()]
  }

  /** Runs when all that was taken before is durable. Rejects while nothing can be written. */
  async function alone<Result>(task: () => Promise<Result>): Promise<Result> {
    await storage.readable()
    if (closing !== undefined) throw new SluiceError('closed')
    const failure = storage.failure()
    if (failure !== undefined) throw failure
    return loop.run(task)
  }

  function* endedSessions(store: StoreReader): Generator<EndedSession> {
    for (const { key, value } of store.rows('ended')) {
      const { createdAt: endedAt, session } = readPlaceKey(key)
      yield { session, endedAt, bytes: Number(value.toString('utf8')) }
    }
  }

  async function shutDown(): Promise<void> {
    if (storage.failure() === undefined) {
      // The next start has no tail to read then.
      await loop.run(() => (storage.tail().bytes > 0 ? regroup() : Promise.resolve())).catch(() => {})
    }
    regroupTimer?.clear()
    freeSpace.stop()
    bells.ringAll()
    await storage.close()
    await lock.release()
  }

  const log: Log = {
    async openWriter(session) {
      nameBytes(session)
      await reading()
      const token = writers.take(session)
      if ((storage.tail().sessions.get(session)?.waiting ?? 0) > 0) {
        // What the fenced writer was promised comes first. If it fails, the head is what it was.
        await loop.run(() => Promise.resolve()).catch(() => {})
      }
      const [store, tail] = await reading()
      const entry = tail.sessions.get(session)
      if (entry?.deleting === true || store.get('deleted', sessionKey(session)) !== undefined) {
        throw new SluiceError('session_deleted', { details: { session } })
      }
      const head = readHead(store, tail, session)
      if (head?.endedAt !== undefined) writers.forget(session)
      return { session, token, head }
    },
    append(append) {
      try {
        return take(append)
      } catch (error) {
        return Promise.reject(writers.fail(append.lease, toStorageError(error)))
      }
    },
    async head(session) {
      const [store, tail] = await reading()
      return readHead(store, tail, session)
    },
    async read(session, fromSeq, { maxBytes }) {
      const [store, tail] = await reading()
      const batch: LogRecord[] = []
      let size = 0
      for (const record of readRecords(store, tail, session, fromSeq)) {
        size += record.bytes.byteLength
        if (size > maxBytes && batch.length > 0) break
        batch.push(record)
      }
      return batch
    },
    tail: (session, fromSeq, signal) => tailSession(log, bells, session, fromSeq, signal),
    async list(listOptions) {
      const [store, tail] = await reading()
      return listHeads(store, tail, listOptions)
    },
    async marks(prefix) {
      const [store, tail] = await reading()
      return listMarks(store, tail, prefix)
    },
    async putCheckpoint(session, { seq, bytes }) {
      const [store, tail] = await reading()
      if (storage.failure() !== undefined || readHead(store, tail, session) === undefined) return
      const entry = enterTail(store, tail, session)
      entry?.checkpoints.push({ seq, bytes: Buffer.from(bytes) })
      if (entry !== undefined) entry.changed = true
      tail.bytes += bytes.byteLength + 1
      scheduleRegroup()
      loop.wake()
    },
    async checkpoint(session, seq) {
      const [store, tail] = await reading()
      return readCheckpoint(store, tail, session, seq)
    },
    async delete(session) {
      const [store, tail] = await reading()
      const entry = enterTail(store, tail, session)
      if (entry === undefined || entry.deleting || (entry.taken ?? entry.head) === undefined) return false
      entry.deleting = true
      try {
        await alone(() => regroup(new Set([session])))
        return true
      } finally {
        entry.deleting = false
      }
    },
    async isDeleted(session) {
      const [store] = await reading()
      return store.get('deleted', sessionKey(session)) !== undefined
    },
    retire: (rule) =>
      alone(async () => {
        if (storage.tail().bytes > 0) await regroup()
        const ended = endedSessions(storage.store())
        const chosen = [...chooseToRetire(ended, storage.tail().counters.bytes, rule)]
        for (let at = 0; at < chosen.length; at += retireAtOnce) {
          await regroup(new Set(chosen.slice(at, at + retireAtOnce)))
        }
        return chosen
      }),
    async stat() {
      const [, tail] = await reading()
      const counters = { ...tail.counters }
      const { size } = await stat(join(directory, storeFile))
      return { ...counters, diskBytes: size }
    },
    health,
    onHealth(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      closing ??= shutDown()
      return closing
    },
  }
  return log
}

function codeOf(health: LogHealth): string | undefined {
  return health.writable ? undefined : health.code
}
