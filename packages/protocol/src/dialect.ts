import type { Cursor } from './cursor.ts'
import type { Direction, Entry, Source } from './entry.ts'
import type { EventKind, SluiceEvent } from './events.ts'
import type { Finding, Rule } from './finding.ts'
import type { JsonValue } from './json.ts'
import type { SessionState } from './session-state.ts'

/** One wire event: its JSON text on one line, and the value of that text. */
export interface Frame {
  readonly text: string
  readonly value: JsonValue
}

/** The ids in a frame, read before it is decoded. */
export interface FrameIdentity {
  /** The session's id in this dialect. */
  readonly session?: string
  /** The session's id in an earlier dialect, if the frame still has it. */
  readonly foreign?: string
  readonly context?: string
  /** The agent, if the frame names it: foreign session ids are unique only within one agent. */
  readonly agent?: string
  /** The event's own id, which identifies repetitions. */
  readonly id?: string
}

/** The result of decoding one frame. */
export interface Decoded<D> {
  readonly state: D
  /** Set if nothing may be stored; `events` is then empty. */
  readonly refused?: Finding
  readonly events: readonly SluiceEvent[]
  readonly findings: readonly Finding[]
  /** False if the frame is not strictly valid, even without a finding: an unknown enum value, for example. */
  readonly exact: boolean
  readonly direction?: Direction
  /** Set by a dialect that carries whole entries: what the entry was originally. */
  readonly origin?: Origin
}

export interface Origin {
  readonly source: Source
  readonly at: number
  readonly clean: boolean
  readonly raw?: string
  readonly findings: readonly Finding[]
}

export interface Decoder<D> {
  initial(): D
  /** Pure and total: any frame yields a result. `session` is the session before the frame. */
  step(state: D, frame: Frame, session: SessionState): Decoded<D>
}

/** One frame to send: JSON on one line, and the cursor of a reader that has received it. */
export interface OutFrame {
  readonly data: string
  readonly cursor: Cursor
  /** The event's id, if the dialect gives it one. */
  readonly id?: string
}

export interface Encoded<E> {
  readonly state: E
  readonly frames: readonly OutFrame[]
}

/** A part of an entry that is encoded separately. */
export interface EntryPart {
  /** The number of units of the entry that were delivered before and are no longer among its events. */
  readonly from: number
  /** The number of empty pieces of text after those units that were delivered, too. */
  readonly empty?: number
  /** The entry continues after this part: the part's last frame does not complete it. */
  readonly isInner?: boolean
  /** Converts a cursor that treats this part as the rest of its entry to the place in the whole entry. */
  place?(cursor: Cursor): Cursor
}

export interface Encoder<E> {
  /**
   * Joins a session that has reached `session`, delivered up to `cursor`. Returns the frames that a client of
   * this dialect needs before the next entry, and a state equal to the one reached by reading from the start.
   */
  enter(session: SessionState, cursor: Cursor): Encoded<E>
  /** The state that `enter()` returns, without writing frames. Absent if `enter()` never writes any. */
  restore?(session: SessionState): E
  /**
   * Pure; every frame is valid and in order, whatever the input. Sees all events of an entry at once, or with
   * `part` only the remaining ones.
   */
  step(state: E, entry: Entry, part?: EntryPart): Encoded<E>
  /**
   * Set if, from this state on, a clean frame of the encoder's own dialect is sent as it came in, until an entry that
   * is not one: a text that such a frame contains, which may be empty. Absent if frames are never copied.
   */
  copying?(state: E): string | undefined
  /** About how many bytes of memory a state takes. Absent if states stay small, however much is open. */
  weigh?(state: E): number
}

/**
 * How much of a kind a dialect can express: all of it in its own fields, some of it, all of it but only in an
 * extension that its other readers ignore, or nothing.
 */
export type Support = 'full' | 'part' | 'carried' | 'none'

export interface DialectSupports {
  /** False: one stream is one session, and a conversion to this dialect accepts only one. */
  readonly sessionIds: boolean
  /** False: the dialect has no frame that ends a session; the end of the stream does. */
  readonly terminal: boolean
  readonly eventIds: boolean
  readonly timestamps: boolean
  /** True: in this dialect the side that asks a question also decides when it times out. */
  readonly ownsQuestionTimers: boolean
  /** The payloads that its frames may carry in full. */
  readonly payloads: { readonly request: boolean; readonly toolArgs: boolean; readonly toolResults: boolean }
  readonly kinds: Readonly<Record<EventKind, Support>>
}

/** One dialect as a value. It never sees a URL, a header or a socket. */
export interface Dialect<D = unknown, E = unknown> {
  readonly id: string
  readonly title: string
  readonly supports: DialectSupports
  /** Every rule that its decoder can report as broken. */
  readonly rules: readonly Rule[]
  /** JSON Schema 2020-12 of each message, by name. */
  readonly schemas: Readonly<Record<string, object>>
  /**
   * True if a frame looks like this dialect. Detection relies on it, so it must not claim another dialect's
   * frames.
   */
  recognizes(value: JsonValue): boolean
  identify(value: JsonValue): FrameIdentity
  /** Strictly checks one emitted frame. */
  validate(value: JsonValue): readonly Finding[]
  readonly decode: Decoder<D>
  readonly encode: Encoder<E>
}
