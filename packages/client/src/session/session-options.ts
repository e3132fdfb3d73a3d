import type {
  AgentIdentity,
  Choice,
  Handoff,
  JsonObject,
  JsonValue,
  ResponseKind,
  Risk,
  SessionError,
  Summaries,
  TextChannel,
} from '@sluice/protocol'
import type { PublisherOptions } from '../publishing.ts'
import type { Abortable, CreateSession } from '../sessions.ts'

export interface CreateAgentSession
  extends Pick<CreateSession, 'id' | 'context' | 'labels' | 'attributes' | 'idempotencyKey'>,
    Pick<PublisherOptions<'sluice'>, 'producer' | 'maxPendingBytes'>,
    Abortable {
  /** Who the agent is; a text is its id. */
  readonly agent: string | AgentIdentity
  /** What the user asked for. */
  readonly request?: string
  /** The tools that the agent may call. */
  readonly tools?: readonly string[]
  /** The language of what the agent says, a BCP 47 tag; screen readers choose their voice by it. */
  readonly language?: string
}

/** What may be said of every step, for people who listen. Without it Sluice says it in its own words. */
export interface Told {
  readonly summary?: string | Summaries
}

export interface ProgressOptions extends Told {
  /** 0 to 100. */
  readonly percent?: number
  /** From 1. */
  readonly step?: number
  readonly total?: number
  readonly text?: string
  readonly etaMs?: number
}

export interface ToolOptions extends Told {
  /** Default: a random one. */
  readonly id?: string
  readonly risk?: Risk
  /** Needs a confirmation that was accepted. */
  readonly irreversible?: boolean
  /** In a sentence, without secrets: this is what people hear of the arguments. */
  readonly argsSummary?: string
  readonly args?: JsonValue
}

export interface RunToolOptions<T> extends ToolOptions {
  /** What of the value is published as the result. Default: nothing. */
  readonly report?: (value: T) => JsonValue
}

export interface TextOptions {
  /** Which of the session's texts. Default `main`. */
  readonly output?: string
  readonly contentType?: string
  /** Where it is not the session's. */
  readonly language?: string
  /** Default `answer`. */
  readonly channel?: TextChannel
}

interface QuestionOptions extends Told, Abortable {
  /** At most a day. Without it the question waits until somebody answers. */
  readonly timeoutMs?: number
}

export interface ConfirmOptions extends QuestionOptions {
  /** What will be done, if it is accepted. */
  readonly action: string
  /** What follows from it. */
  readonly consequence: string
  readonly risk?: Risk
  readonly irreversible?: boolean
  /** What holds when nobody answers in time. Default `reject`. */
  readonly default?: 'accept' | 'reject'
  /** Default `accept` and `reject`. */
  readonly allowed?: readonly string[]
}

export interface AskOptions extends QuestionOptions {
  readonly question: string
  /** Default: `multiple_choice` with choices, any without. */
  readonly kinds?: readonly ResponseKind[]
  readonly choices?: readonly Choice[]
  /** The response when nobody answers in time. */
  readonly default?: string | number | boolean
}

export type HandoffOptions = Told &
  Pick<Handoff, 'reason' | 'target'> & {
    readonly uri?: string
    readonly context?: JsonObject
  }

/** How a question came to its end: somebody answered, nobody did in time, or the session was cancelled or ended. */
export type How = 'answered' | 'timeout' | 'cancelled'

export interface Confirmation {
  /** `reject` when the question was cancelled, or its time ran out without a default. */
  readonly decision: 'accept' | 'reject' | (string & {})
  readonly how: How
  /** The subject of who answered. */
  readonly by?: string
}

export interface Clarification {
  /** Undefined when the question was cancelled, or its time ran out without a default. */
  readonly response: string | number | boolean | undefined
  readonly how: How
  readonly by?: string
}

export type FailReason = string | Error | SessionError
