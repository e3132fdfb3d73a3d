import type { JsonObject, JsonValue } from '@sluice/protocol'

/** One record of a session: its number and its bytes. The log never looks inside. */
export interface LogRecord {
  readonly seq: number
  readonly bytes: Uint8Array
}

/** How far a numbering producer has come. */
export interface ProducerMark {
  readonly epoch: number
  /** The last number taken. */
  readonly seq: number
}

/** What a log knows of a session besides its records. */
export interface SessionHead {
  readonly session: string
  readonly createdAt: number
  /** The time of the last append. */
  readonly updatedAt: number
  /** The last record; -1 before the first. */
  readonly lastSeq: number
  /** What its records take. */
  readonly bytes: number
  /** Set with the last record: nothing follows. */
  readonly endedAt: number | undefined
  readonly producers: Readonly<Record<string, ProducerMark>>
  /** What the owner of the log keeps with the session, such as its labels. */
  readonly info: JsonObject
}

/** A session opened for writing. Opening it again fences this one. */
export interface WriterLease {
  readonly session: string
  readonly token: number
  /** Undefined while nothing was ever written. */
  readonly head: SessionHead | undefined
}

/** What one append makes durable, all of it or nothing. */
export interface Append {
  readonly lease: WriterLease
  /** The number of the first record: one more than the last one. */
  readonly firstSeq: number
  /** May be empty: then only what stands below changes. */
  readonly records: readonly Uint8Array[]
  /** Milliseconds since 1970. */
  readonly at: number
  /** Producers whose number moved. */
  readonly producers?: Readonly<Record<string, ProducerMark>>
  /** Replaces the session's info. */
  readonly info?: JsonObject
  /** The last record ends the session. */
  readonly ends?: boolean
  /** Sets marks of the session by name; null removes one. */
  readonly marks?: Readonly<Record<string, JsonValue>>
}

/** Something to find again at start without reading sessions, such as an open question. Removed with its session. */
export interface Mark {
  readonly session: string
  readonly name: string
  readonly value: JsonValue
}

export interface ReadLimits {
  /** Reading stops before the record with which the batch would grow larger; the first is always read. */
  readonly maxBytes: number
}

export interface ListOptions {
  /** Sessions older than this place in the list; undefined begins with the newest. */
  readonly before?: ListPlace
  /** How many heads to look at. */
  readonly limit: number
}

/** A place in the list of sessions, which is ordered by creation, newest first. */
export interface ListPlace {
  readonly createdAt: number
  readonly session: string
}

export interface Checkpoint {
  readonly seq: number
  readonly bytes: Uint8Array
}

export interface RetentionRule {
  /** Remove sessions that ended before this time. */
  readonly endedBefore?: number
  /** Remove the sessions that ended first until all records take no more than this. */
  readonly maxBytes?: number
}

export interface LogStat {
  readonly sessions: number
  readonly endedSessions: number
  readonly records: number
  /** What the records take. */
  readonly bytes: number
  /** What the log takes on disk; 0 for a log in memory. */
  readonly diskBytes: number
}

/** Whether the log takes writes; a log that does not still reads. */
export type LogHealth =
  | { readonly writable: true }
  | {
      readonly writable: false
      readonly code: 'storage_full' | 'storage_failed'
      /** False: only a restart helps. */
      readonly recovers: boolean
    }

/**
 * A durable log of sessions: the driver contract, tested by testLogDriver(). Every method may reject with
 * `storage_failed`; those that write also with `storage_full`. Nothing is written in parts.
 */
export interface Log {
  /** Opens a session for writing and fences who had it open before. Rejects with `session_deleted`. */
  openWriter(session: string): Promise<WriterLease>
  /**
   * Resolves when the append is durable. Appends of one lease take effect in the order of the calls; one that fails
   * makes every append behind it fail too. Rejects with `fenced`, with `log_conflict` when `firstSeq` is not the next
   * number, with `session_ended` after the end, with `session_deleted`, and with `overloaded` when too much waits
   * already (then nothing of it was taken).
   */
  append(append: Append): Promise<void>
  head(session: string): Promise<SessionHead | undefined>
  /** The records from `fromSeq` on, as many as the limits allow; none at the end. What is read is durable. */
  read(session: string, fromSeq: number, limits: ReadLimits): Promise<readonly LogRecord[]>
  /** Batches of records from `fromSeq` on, waiting for more, until the session ends or `signal` aborts. */
  tail(session: string, fromSeq: number, signal: AbortSignal): AsyncIterable<readonly LogRecord[]>
  /** Heads of sessions, newest first. */
  list(options: ListOptions): Promise<readonly SessionHead[]>
  /** All marks whose name begins with `prefix`. */
  marks(prefix: string): Promise<readonly Mark[]>
  /** Keeps a checkpoint beside those that are there. Not durable at once: a lost checkpoint costs time, nothing else. */
  putCheckpoint(session: string, checkpoint: Checkpoint): Promise<void>
  /** The latest checkpoint with a seq of at most `seq`. */
  checkpoint(session: string, seq: number): Promise<Checkpoint | undefined>
  /** Removes a session with all its data, durably. Its id is never used again. False if there was none. */
  delete(session: string): Promise<boolean>
  isDeleted(session: string): Promise<boolean>
  /** Removes whole ended sessions, those that ended first going first, and answers which. Their ids stay taken. */
  retire(rule: RetentionRule): Promise<readonly string[]>
  stat(): Promise<LogStat>
  health(): LogHealth
  /** Tells of every change of health until the answer is called. */
  onHealth(listener: (health: LogHealth) => void): () => void
  /** Waits for appends under way, then closes. Appends after it reject with `closed`. */
  close(): Promise<void>
}
