import type { Cursor } from './cursor.ts'
import type { Direction, Entry, Source } from './entry.ts'
import type { EventKind, SluiceEvent } from './events.ts'
import type { Finding, Rule } from './finding.ts'
import type { JsonValue } from './json.ts'
import type { SessionState } from './session-state.ts'

/** One wire event: its JSON text on one line and the value of it. */
export interface Frame {
  readonly text: string
  readonly value: JsonValue
}

/** What a frame says of itself before it is decoded. */
export interface FrameIdentity {
  /** The session as the contract names it. */
  readonly session?: string
  /** What an earlier contract called it, where the frame still knows. */
  readonly foreign?: string
  readonly context?: string
  /** The agent, where the frame names it: foreign session ids are unique only within one. */
  readonly agent?: string
  /** The event's own id, by which repetitions are known. */
  readonly id?: string
}

/** What became of one frame. */
export interface Decoded<D> {
  readonly state: D
  /** Set when nothing may be stored. Then `events` is empty. */
  readonly refused?: Finding
  readonly events: readonly SluiceEvent[]
  readonly findings: readonly Finding[]
  /** False when the frame, though without finding, is not valid to the letter: an enum value nobody knows yet. */
  readonly exact: boolean
  readonly direction?: Direction
  /** Set by a dialect that carries whole entries: what the entry was before. */
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
  /** Pure and total: whatever the frame holds, the answer is a verdict. `session` is the session before the frame. */
  step(state: D, frame: Frame, session: SessionState): Decoded<D>
}

/** One frame to send: JSON on one line, and the cursor of a reader who has it. */
export interface OutFrame {
  readonly data: string
  readonly cursor: Cursor
  /** The event's id where the contract gives it one. */
  readonly id?: string
}

export interface Encoded<E> {
  readonly state: E
  readonly frames: readonly OutFrame[]
}

/** A part of an entry that is encoded for itself. */
export interface EntryPart {
  /** So many units of the entry were delivered before, and are no longer among its events. */
  readonly from: number
  /** And so many frames behind them. */
  readonly behind?: number
  /** The entry goes on behind this part: its last frame does not deliver the entry whole. */
  readonly isInner?: boolean
  /** Where a cursor inside this part, counted as if it were the rest of its entry, really stands. */
  place?(cursor: Cursor): Cursor
}

export interface Encoder<E> {
  /**
   * Joins a session that has come to `session`, all of it delivered up to `cursor`: the frames that a client of this
   * contract needs before the next entry, and a state equal to the one reached by reading from the start.
   */
  enter(session: SessionState, cursor: Cursor): Encoded<E>
  /**
   * Pure; every frame is valid and in order, whatever came in. Sees all events of an entry at once; with `part` those
   * that are left of it.
   */
  step(state: E, entry: Entry, part?: EntryPart): Encoded<E>
}

/**
 * How much of a kind a contract can say: all of it in its own fields, some of it, all of it but only in an extension
 * that its other readers pass over, or nothing.
 */
export type Support = 'full' | 'part' | 'carried' | 'none'

export interface DialectSupports {
  /** False: one stream is one session, and the target of a conversion takes no second one. */
  readonly sessionIds: boolean
  /** False: the contract has no frame that ends a session, the end of the stream does. */
  readonly terminal: boolean
  readonly eventIds: boolean
  readonly timestamps: boolean
  /** True: who asks a question in this contract also decides when it is too late. */
  readonly ownsQuestionTimers: boolean
  /** What its frames may carry in full. */
  readonly payloads: { readonly request: boolean; readonly toolArgs: boolean; readonly toolResults: boolean }
  readonly kinds: Readonly<Record<EventKind, Support>>
}

/** One wire contract as a value. It never sees a URL, a header or a socket. */
export interface Dialect<D = unknown, E = unknown> {
  readonly id: string
  readonly title: string
  readonly supports: DialectSupports
  /** Every rule that its decoder can find broken. */
  readonly rules: readonly Rule[]
  /** JSON Schema 2020-12 of each of its messages, by name. */
  readonly schemas: Readonly<Record<string, object>>
  /** True when a frame looks like this contract; used to tell dialects apart, so it must not claim another's frames. */
  recognizes(value: JsonValue): boolean
  identify(value: JsonValue): FrameIdentity
  /** The strict check of one emitted frame. */
  validate(value: JsonValue): readonly Finding[]
  readonly decode: Decoder<D>
  readonly encode: Encoder<E>
}
