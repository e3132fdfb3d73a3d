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
  /** The agent; a string is its id. */
  readonly agent: string | AgentIdentity
  /** What the user asked for. */
  readonly request?: string
  /** The tools that the agent may call. */
  readonly tools?: readonly string[]
  /** The language of what the agent says, a BCP 47 tag; screen readers choose their voice by it. */
  readonly language?: string
}

/** A summary of a step, for people who listen. Without it, Sluice writes one. */
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
  /** The part of the value to publish as the result. Default: nothing. */
  readonly report?: (value: T) => JsonValue
}

export interface TextOptions {
  /** Which of the session's texts. Default `main`. */
  readonly output?: string
  readonly contentType?: string
  /** If it is not the session's language. */
  readonly language?: string
  /** Default `answer`. */
  readonly channel?: TextChannel
}

interface QuestionOptions extends Told, Abortable {
  /** At most a day. Without it the question waits until somebody answers. */
  readonly timeoutMs?: number
}

export interface ConfirmOptions extends QuestionOptions {
  /** What will be done if it is accepted. */
  readonly action: string
  /** What the action leads to. */
  readonly consequence: string
  readonly risk?: Risk
  readonly irreversible?: boolean
  /** The decision if nobody answers in time. Default `reject`. */
  readonly default?: 'accept' | 'reject'
  /** Default `accept` and `reject`. */
  readonly allowed?: readonly string[]
}

export interface AskOptions extends QuestionOptions {
  readonly question: string
  /** Default: `multiple_choice` with choices, any without. */
  readonly kinds?: readonly ResponseKind[]
  readonly choices?: readonly Choice[]
  /** The response if nobody answers in time. */
  readonly default?: string | number | boolean
}

export type HandoffOptions = Told &
  Pick<Handoff, 'reason' | 'target'> & {
    readonly uri?: string
    readonly context?: JsonObject
  }

/** How a question ended: somebody answered, nobody did in time, or the session was cancelled or ended. */
export type How = 'answered' | 'timeout' | 'cancelled'

export interface Confirmation {
  /** `reject` when the question was cancelled, or its time ran out without a default. */
  readonly decision: 'accept' | 'reject' | (string & {})
  readonly how: How
  /** The subject of the caller who answered. */
  readonly by?: string
}

export interface Clarification {
  /** Undefined when the question was cancelled, or its time ran out without a default. */
  readonly response: string | number | boolean | undefined
  readonly how: How
  readonly by?: string
}

export type FailReason = string | Error | SessionError
