import { type JsonValue, SluiceError } from '@sluice/protocol'
import type { Append, Checkpoint, ListPlace, Log, LogRecord, SessionHead } from '../log.ts'
import { chooseToRetire } from './retention.ts'
import { countBefore, insertPlace, removePlace } from './session-order.ts'
import { advanceHead, createWriters } from './writers.ts'

interface StoredSession {
  head: SessionHead
  readonly records: Uint8Array[]
  /** In the order of their seq. */
  readonly checkpoints: Checkpoint[]
  readonly marks: Map<string, JsonValue>
}

/** A log in memory, lost with the process. Appends take effect immediately; only memory limits it. */
export function createMemoryLog(): Log {
  const sessions = new Map<string, StoredSession>()
  const order: ListPlace[] = []
  const deleted = new Set<string>()
  const writers = createWriters()
  let closed = false

  function assertOpen(): void {
    if (closed) throw new SluiceError('closed')
  }

  function store(append: Append): void {
    const { session } = append.lease
    const stored = sessions.get(session)
    const bytes = append.records.reduce((sum, record) => sum + record.length, 0)
    const head = advanceHead(stored?.head, append, { count: append.records.length, bytes })
    const target: StoredSession = stored ?? { head, records: [], checkpoints: [], marks: new Map() }
    if (stored === undefined) {
      sessions.set(session, target)
      insertPlace(order, head)
    }
    target.head = head
    if (head.endedAt !== undefined) writers.forget(session)
    for (const record of append.records) target.records.push(new Uint8Array(record))
    for (const [name, value] of Object.entries(append.marks ?? {})) {
      if (value === null) target.marks.delete(name)
      else target.marks.set(name, value)
    }
  }

  function remove(session: string): boolean {
    const stored = sessions.get(session)
    if (stored === undefined) return false
    sessions.delete(session)
    removePlace(order, stored.head)
    deleted.add(session)
    writers.forget(session)
    return true
  }

  return {
    async openWriter(session) {
      assertOpen()
      if (deleted.has(session)) throw new SluiceError('session_deleted', { details: { session } })
      const head = sessions.get(session)?.head
      const token = writers.take(session)
      if (head?.endedAt !== undefined) writers.forget(session)
      return { session, token, head }
    },
    append(append) {
      const { session } = append.lease
      const refusal = closed
        ? new SluiceError('closed')
        : writers.refusal(append, { head: sessions.get(session)?.head, deleted: deleted.has(session) })
      if (refusal !== undefined) return Promise.reject(writers.fail(append.lease, refusal))
      store(append)
      return Promise.resolve()
    },
    async head(session) {
      assertOpen()
      return sessions.get(session)?.head
    },
    async read(session, fromSeq, { maxBytes }) {
      assertOpen()
      const records = sessions.get(session)?.records ?? []
      const batch: LogRecord[] = []
      let size = 0
      for (let seq = Math.max(0, fromSeq); seq < records.length; seq++) {
        const bytes = records[seq]
        if (bytes === undefined) break
        size += bytes.byteLength
        if (size > maxBytes && batch.length > 0) break
        batch.push({ seq, bytes })
      }
      return batch
    },
    async list({ before, limit }) {
      assertOpen()
      const end = before === undefined ? order.length : countBefore(order, before)
      const places = order.slice(Math.max(0, end - limit), end).reverse()
      return places.flatMap(({ session }) => sessions.get(session)?.head ?? [])
    },
    async marks(prefix) {
      assertOpen()
      return [...sessions].flatMap(([session, { marks }]) =>
        [...marks].flatMap(([name, value]) => (name.startsWith(prefix) ? [{ session, name, value }] : [])),
      )
    },
    async putCheckpoint(session, { seq, bytes }) {
      assertOpen()
      const checkpoints = sessions.get(session)?.checkpoints
      if (checkpoints === undefined) return
      const index = checkpoints.findLastIndex((other) => other.seq <= seq)
      const replaces = checkpoints[index]?.seq === seq
      checkpoints.splice(replaces ? index : index + 1, replaces ? 1 : 0, {
        seq,
        bytes: new Uint8Array(bytes),
      })
    },
    async checkpoint(session, seq) {
      assertOpen()
      return sessions.get(session)?.checkpoints.findLast((checkpoint) => checkpoint.seq <= seq)
    },
    async delete(session) {
      assertOpen()
      return remove(session)
    },
    async isDeleted(session) {
      assertOpen()
      return deleted.has(session)
    },
    async retire(rule) {
      assertOpen()
      const heads = [...sessions.values()].map(({ head }) => head)
      const totalBytes = heads.reduce((sum, { bytes }) => sum + bytes, 0)
      const ended = heads
        .flatMap(({ session, bytes, endedAt }) =>
          endedAt === undefined ? [] : [{ session, bytes, endedAt }],
        )
        .sort((a, b) => a.endedAt - b.endedAt || (a.session < b.session ? -1 : 1))
      const chosen = [...chooseToRetire(ended, totalBytes, rule)]
      for (const session of chosen) remove(session)
      return chosen
    },
    health: () => ({ writable: true }),
    onHealth: () => () => {},
    async close() {
      closed = true
    },
  }
}
