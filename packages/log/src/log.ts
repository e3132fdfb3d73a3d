import type { JsonObject, JsonValue } from '@sluice/protocol'

/** One record of a session: its number and its bytes. The log never looks inside. */
export interface LogRecord {
  readonly seq: number
  readonly bytes: Uint8Array
}

/** The progress of a producer that numbers its frames. */
export interface ProducerMark {
  readonly epoch: number
  /** The last number taken. */
  readonly seq: number
}

/** The state of a session apart from its records. */
export interface SessionHead {
  readonly session: string
  readonly createdAt: number
  /** The time of the last append. */
  readonly updatedAt: number
  /** The last record; -1 before the first. */
  readonly lastSeq: number
  /** The size of its records. */
  readonly bytes: number
  /** Set with the last record: nothing follows. */
  readonly endedAt: number | undefined
  readonly producers: Readonly<Record<string, ProducerMark>>
  /** Data that the owner of the log keeps with the session, such as its labels. */
  readonly info: JsonObject
}

/** A session opened for writing. Opening it again fences this one. */
export interface WriterLease {
  readonly session: string
  readonly token: number
  /** Undefined if nothing was ever written. */
  readonly head: SessionHead | undefined
}

/** The contents of one append, which becomes durable completely or not at all. */
export interface Append {
  readonly lease: WriterLease
  /** The number of the first record: one more than the last one. */
  readonly firstSeq: number
  /** May be empty: then the append changes only the fields below. */
  readonly records: readonly Uint8Array[]
  /** Milliseconds since 1970. */
  readonly at: number
  /** Producers whose mark changed. */
  readonly producers?: Readonly<Record<string, ProducerMark>>
  /** Replaces the session's info. */
  readonly info?: JsonObject
  /** The last record ends the session. */
  readonly ends?: boolean
  /** Sets marks of the session by name; null removes one. */
  readonly marks?: Readonly<Record<string, JsonValue>>
}

/** A value to find at start without reading sessions, such as an open question. Removed with its session. */
export interface Mark {
  readonly session: string
  readonly name: string
  readonly value: JsonValue
}

export interface ReadLimits {
  /** Reading stops before a record that would exceed this size; the first record is always read. */
  readonly maxBytes: number
}

export interface ListOptions {
  /** Lists sessions older than this place; undefined starts with the newest. */
  readonly before?: ListPlace
  /** The maximum number of heads. */
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
  /** The size of the records. */
  readonly bytes: number
  /** The size of the log on disk; 0 for a log in memory. */
  readonly diskBytes: number
}

/** Whether the log accepts writes; an unwritable log can still be read. */
export type LogHealth =
  | { readonly writable: true }
  | { readonly writable: false; readonly code: 'storage_full' | 'storage_failed' }

/**
 * A durable log of sessions: the interface of a driver, tested by testLogDriver(). Every method may reject
 * with `storage_failed`; those that write also with `storage_full`. Every write takes effect completely or
 * not at all.
 */
export interface Log {
  /** Opens a session for writing and fences its previous writer. Rejects with `session_deleted`. */
  openWriter(session: string): Promise<WriterLease>
  /**
   * Resolves when the append is durable. Appends of one lease take effect in the order of the calls; a failed
   * append makes every append after it fail too. Rejects with `fenced`, with `log_conflict` when `firstSeq`
   * is not the next number, with `session_ended` after the end, with `session_deleted`, and with `overloaded`
   * when too many bytes or appends are already waiting (then the append was not accepted).
   */
  append(append: Append): Promise<void>
  head(session: string): Promise<SessionHead | undefined>
  /** The durable records from `fromSeq` on, as many as the limits allow; none at the end. */
  read(session: string, fromSeq: number, limits: ReadLimits): Promise<readonly LogRecord[]>
  /** Heads of sessions, newest first. */
  list(options: ListOptions): Promise<readonly SessionHead[]>
  /** All marks whose name begins with `prefix`. */
  marks(prefix: string): Promise<readonly Mark[]>
  /** Adds a checkpoint to the existing ones. Not durable immediately: a lost checkpoint costs only time. */
  putCheckpoint(session: string, checkpoint: Checkpoint): Promise<void>
  /** The latest checkpoint with a seq of at most `seq`. */
  checkpoint(session: string, seq: number): Promise<Checkpoint | undefined>
  /** Removes a session with all its data, durably. Its id is never used again. False if there was none. */
  delete(session: string): Promise<boolean>
  isDeleted(session: string): Promise<boolean>
  /** Removes whole ended sessions, earliest end first, and returns their ids, which are never used again. */
  retire(rule: RetentionRule): Promise<readonly string[]>
  health(): LogHealth
  /** Calls the listener on every change of health. Returns a function that stops this. */
  onHealth(listener: (health: LogHealth) => void): () => void
  /** Waits for pending appends, then closes. Later appends reject with `closed`. */
  close(): Promise<void>
}
