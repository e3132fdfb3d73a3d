import { type Append, decodeEntry, encodeRecord, type Log, type WriterLease } from '@sluice/log'
import type { Clock, JsonValue } from '@sluice/protocol'

const readBytes = 1 << 20

/** A stream of the log that is not a session: it stores the gateway's own data. */
export interface KeptStream {
  /**
   * Appends in the order of the calls; resolves when it is durable. After a failure, the stream is opened
   * again.
   */
  append(values: readonly JsonValue[], beside?: Pick<Append, 'info' | 'marks'>): Promise<void>
  /** All values, in order. */
  read(): AsyncIterable<JsonValue>
}

/** A stream whose records have the form of entries, so that everything that reads a log can read it. */
export function createKeptStream(log: Log, clock: Clock, name: string): KeptStream {
  let lease: WriterLease | undefined
  let nextSeq = 0
  let lastAt = 0
  let queue: Promise<unknown> = Promise.resolve()

  async function append(values: readonly JsonValue[], beside: Pick<Append, 'info' | 'marks'>): Promise<void> {
    if (lease === undefined) {
      const opened = await log.openWriter(name)
      nextSeq = (opened.head?.lastSeq ?? -1) + 1
      lastAt = Math.max(lastAt, opened.head?.updatedAt ?? 0)
      lease = opened
    }
    const at = Math.max(lastAt, clock.now())
    const records = values.map((value, index) => toRecord(nextSeq + index, at, value))
    try {
      await log.append({ lease, firstSeq: nextSeq, records, at, ...beside })
      nextSeq += records.length
      lastAt = at
    } catch (error) {
      lease = undefined
      throw error
    }
  }

  return {
    append(values, beside = {}) {
      const done = queue.then(() => append(values, beside))
      queue = done.catch(() => {})
      return done
    },
    async *read() {
      for (let seq = 0; ; ) {
        const records = await log.read(name, seq, { maxBytes: readBytes })
        if (records.length === 0) return
        for (const record of records) yield JSON.parse(decodeEntry(name, record).raw ?? 'null') // written by toRecord()
        seq += records.length
      }
    },
  }
}

function toRecord(seq: number, at: number, value: JsonValue): Uint8Array {
  return encodeRecord({
    seq,
    at,
    source: { dialect: 'sluice' },
    direction: 'system',
    raw: JSON.stringify(value),
    clean: true,
    events: [],
    diagnostics: [],
  })
}
