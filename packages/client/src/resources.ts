import type { JsonObject, Part, SessionResource } from '@sluice/protocol'

export type {
  AgentResource,
  CallerResource,
  DialectResource,
  Input,
  LoginResource,
  QuestionResource,
  SessionPage,
  SessionResource,
} from '@sluice/protocol'

/** The state of a session after one entry; reading on from `cursor` loses and repeats nothing. */
export interface Snapshot {
  readonly session: SessionResource
  readonly cursor: string
  readonly snapshot: JsonObject
}

export interface FramePage<Frame> {
  readonly frames: readonly { readonly cursor: string; readonly frame: Frame }[]
  readonly cursor: string
  /** Nothing follows. */
  readonly end: boolean
}

/** An answer to an open question: a response to a clarification, a decision on anything else. */
export type Answer =
  | { readonly token: string; readonly decision: 'accept' | 'reject' | (string & {}) }
  | { readonly token: string; readonly response: string | number | boolean }

/** A message to the agent. */
export type OutgoingMessage =
  | { readonly text: string; readonly id?: string }
  | { readonly parts: readonly Part[]; readonly id?: string }

/** One entry as the readers of a dialect get it. */
export interface ToldEntry<Frame> {
  readonly dialect: string
  readonly frames: readonly { readonly cursor: string; readonly frame: Frame }[]
  /** What the frames no longer say, such as `tool-call.args`. */
  readonly lost: readonly string[]
}

/** A change in a list of sessions. */
export type SessionChange =
  /** Reading starts: the newest page follows, up to `ready`. Sessions that are not in it may be gone. */
  | { readonly type: 'begin' }
  | { readonly type: 'session'; readonly session: SessionResource }
  | { readonly type: 'ready' }
  | { readonly type: 'deleted'; readonly id: string }
