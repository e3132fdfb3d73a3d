import { mkdir } from 'node:fs/promises'
import { type Clock, createSystemClock, SluiceError } from '@sluice/protocol'
import type { Append, Log, LogHealth, LogRecord, RetentionRule } from '../../log.ts'
import { chooseToRetire } from '../retention.ts'
import { advanceHead, createWriters } from '../writers.ts'
import { appendBytes, type ChunkAppend, encodeCommitChunk, encodeExtra } from './commit-chunk.ts'
import { watchFreeSpace } from './free-space.ts'
import { createHealthWatch } from './health-watch.ts'
import { nameBytes, sessionKey } from './keys.ts'
import { lockDirectory } from './owner-lock.ts'
import { privateDirectoryMode, tightenFiles } from './private-files.ts'
import { createQueue } from './queue.ts'
import { listEnded, listHeads, listMarks, readCheckpoint, readHead, readRecords } from './reading.ts'
import { createRegroupSchedule } from './regroup-schedule.ts'
import { openStorage } from './storage.ts'
import { toStorageError } from './storage-error.ts'
import type { StoreReader } from './store.ts'
import { adoptAppend, enterTail, type Tail, type TailSession } from './tail.ts'
import type { TornTail } from './tail-contents.ts'
import { frameHeadBytes } from './tail-frame.ts'
import { createWriteLoop, type Waiting } from './write-loop.ts'

export interface LmdbLogOptions {
  /** Created if it does not exist. Only one process at a time may have it open. */
  readonly directory: string
  readonly clock?: Clock
  /** Appends are refused with `storage_full` while the disk has less left. 0 turns this off. */
  readonly minFreeBytes?: number
  /** Appends are refused with `overloaded` while more than this is waiting to become durable. */
  readonly maxWaitingBytes?: number
  readonly maxWaitingAppends?: number
  /** The tail is regrouped by session when it reaches this size, or after this time. */
  readonly regroupBytes?: number
  readonly regroupAfterMs?: number
  /** Called at the start if a crash cut off the last commit, which was not acknowledged. */
  readonly onTorn?: (torn: TornTail) => void
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
  const { directory, clock = createSystemClock(), minFreeBytes = 64 * mebibyte } = options
  const { regroupBytes = 8 * mebibyte, regroupAfterMs = 5000 } = options
  const { maxWaitingBytes = 32 * mebibyte, maxWaitingAppends = 50_000, onTorn = () => {} } = options
  try {
    await mkdir(directory, { recursive: true, mode: privateDirectoryMode })
    await tightenFiles(directory)
  } catch (error) {
    throw toStorageError(error)
  }
  const lock = await lockDirectory(directory, clock)
  const writers = createWriters()
  let closing: Promise<void> | undefined

  const onChange = () => healthWatch.look()
  const storage = await openStorage({ directory, clock, onChange, onTorn }).catch(async (error: unknown) => {
    await lock.release()
    throw toStorageError(error)
  })
  const freeSpace = await watchFreeSpace(directory, {
    minFreeBytes,
    clock,
    onChange,
  })
  const healthWatch = createHealthWatch(health)

  const loop = createWriteLoop<TakenAppend>(
    {
      commit,
      hold: () => regrouping.hold(),
      failure: () => storage.failure(),
    },
    { maxWaitingBytes, maxWaitingItems: maxWaitingAppends },
  )
  const regrouping = createRegroupSchedule(storage, {
    regroupBytes,
    regroupAfterMs,
    clock,
    runBetween: (task) => loop.run(task),
  })
  const retiring = createQueue()
  regrouping.look()

  function health(): LogHealth {
    const failure = storage.failure()
    if (failure !== undefined) {
      const code = failure.code === 'storage_full' ? 'storage_full' : 'storage_failed'
      return { writable: false, code }
    }
    return freeSpace.isLow() ? { writable: false, code: 'storage_full' } : { writable: true }
  }

  async function commit(appends: readonly TakenAppend[]): Promise<void> {
    const { bytes, pieces } = encodeCommitChunk(appends, frameHeadBytes)
    const tail = storage.tail()
    try {
      await storage.append(bytes)
    } catch (error) {
      for (const append of appends) append.reject(toStorageError(error))
      return
    }
    tail.bytes += bytes.length
    appends.forEach(({ entry, head, marks, resolve }, index) => {
      const piece = pieces[index]
      if (piece !== undefined) adoptAppend(tail, entry, { head, piece, marks })
      entry.waiting -= 1
      if (entry.waiting === 0) entry.taken = undefined
      if (head.endedAt !== undefined) writers.forget(head.session)
      resolve()
    })
    freeSpace.check()
    regrouping.look()
  }

  async function remove(sessions: readonly string[]): Promise<void> {
    await regrouping.run(new Set(sessions))
    for (const session of sessions) writers.forget(session)
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
    const size = appendBytes({
      sessionBytes: entry.sessionBytes,
      extra,
      count: records.length,
      recordBytes,
    })
    if (freeSpace.isLow()) throw new SluiceError('storage_full')
    if (!loop.hasRoom(size)) throw new SluiceError('overloaded')
    const head = advanceHead(entry.taken ?? entry.head, append, { count: records.length, bytes: recordBytes })
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

  function read<Result>(look: (store: StoreReader, tail: Tail) => Result): Promise<Result> {
    return storage.read((store, tail) => {
      if (closing !== undefined) throw new SluiceError('closed')
      return look(store, tail)
    })
  }

  function assertWritable(): void {
    if (closing !== undefined) throw new SluiceError('closed')
    const failure = storage.failure()
    if (failure !== undefined) throw failure
  }

  async function retire(rule: RetentionRule): Promise<readonly string[]> {
    assertWritable()
    await regrouping.run()
    const ended = listEnded(storage.store())
    const chosen = [...chooseToRetire(ended, storage.tail().counters.bytes, rule)]
    for (let at = 0; at < chosen.length; at += retireAtOnce) {
      await remove(chosen.slice(at, at + retireAtOnce))
    }
    return chosen
  }

  async function shutDown(): Promise<void> {
    if (storage.failure() === undefined) {
      // So that the next start has no tail to read.
      await loop.run(() => Promise.resolve()).catch(() => {})
      if (storage.tail().bytes > 0) await regrouping.run().catch(() => {})
    }
    await regrouping.stop()
    freeSpace.stop()
    await storage.close()
    await lock.release()
  }

  return {
    async openWriter(session) {
      nameBytes(session)
      const [token, waiting] = await read((_, tail) => [
        writers.take(session),
        tail.sessions.get(session)?.waiting ?? 0,
      ])
      // Appends of the fenced writer come first. If they fail, the head stays as it is.
      if (waiting > 0) await loop.run(() => Promise.resolve()).catch(() => {})
      return read((store, tail) => {
        const deleting = tail.sessions.get(session)?.deleting === true
        if (deleting || store.get('deleted', sessionKey(session)) !== undefined) {
          writers.forget(session)
          throw new SluiceError('session_deleted', { details: { session } })
        }
        const head = readHead(store, tail, session)
        if (head?.endedAt !== undefined) writers.forget(session)
        return { session, token, head }
      })
    },
    append(append) {
      try {
        return take(append)
      } catch (error) {
        return Promise.reject(writers.fail(append.lease, toStorageError(error)))
      }
    },
    head: (session) => read((store, tail) => readHead(store, tail, session)),
    read: (session, fromSeq, { maxBytes }) =>
      read((store, tail) => {
        const batch: LogRecord[] = []
        let size = 0
        for (const record of readRecords(store, tail, { session, fromSeq })) {
          size += record.bytes.byteLength
          if (size > maxBytes && batch.length > 0) break
          batch.push(record)
        }
        return batch
      }),
    list: (listOptions) => read((store, tail) => listHeads(store, tail, listOptions)),
    marks: (prefix) => read((store, tail) => listMarks(store, tail, prefix)),
    putCheckpoint: (session, { seq, bytes }) =>
      read((store, tail) => {
        if (storage.failure() !== undefined || readHead(store, tail, session) === undefined) return
        const entry = enterTail(store, tail, session)
        if (entry === undefined || entry.deleting) return
        entry.fresh.checkpoints.push({ seq, bytes: Buffer.from(bytes) })
        entry.changed = true
        tail.bytes += bytes.byteLength + 1
        regrouping.look()
      }),
    checkpoint: (session, seq) => read((store, tail) => readCheckpoint(store, tail, { session, seq })),
    async delete(session) {
      const entry = await read((store, tail) => {
        const exists = tail.sessions.has(session) || readHead(store, tail, session) !== undefined
        const found = exists ? enterTail(store, tail, session) : undefined
        if (found === undefined || found.deleting || (found.taken ?? found.head) === undefined)
          return undefined
        // Immediately: appends that are called from here on come after the delete.
        found.deleting = true
        return found
      })
      if (entry === undefined) return false
      try {
        assertWritable()
        await remove([session])
        return true
      } finally {
        entry.deleting = false
      }
    },
    isDeleted: (session) => read((store) => store.get('deleted', sessionKey(session)) !== undefined),
    retire: (rule) => retiring(() => retire(rule)),
    health,
    onHealth: (listener) => healthWatch.listen(listener),
    close() {
      closing ??= shutDown()
      return closing
    },
  }
}
