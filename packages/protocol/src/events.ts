import type { JsonObject, JsonValue } from './json.ts'

/** The agent that an event comes from, as far as its dialect names it. */
export interface AgentIdentity {
  readonly id?: string
  readonly kind?: string
  readonly version?: string
  readonly name?: string
  readonly model?: string
  readonly uri?: string
  /** The agent's own session, by which it can be resumed. */
  readonly session?: string
}

/** One event in words, in different lengths and languages. */
export interface Summaries {
  readonly terse?: string
  readonly normal?: string
  readonly detailed?: string
  readonly byLanguage?: { readonly [field: string]: string }
}

export type Urgency = 'background' | 'normal' | 'critical'

export interface Meta {
  /** The producer's own id of the wire event. Absent if the dialect has none or the id was taken. */
  readonly id?: string
  /** The producer's own time, RFC 3339, as written. */
  readonly at?: string
  readonly agent?: AgentIdentity
  /** The call or agent on whose behalf this happens. */
  readonly parent?: string
  readonly urgency?: Urgency
  readonly summaries?: Summaries
  readonly localization?: JsonObject
  /** W3C trace context, or anything else that the producer correlates by. */
  readonly trace?: string
  readonly channel?: string
  /**
   * True for an event that no producer sent: the session's order implies it. Encoders omit it if their
   * dialect does not need it.
   */
  readonly implied?: true
  /**
   * Fields without a place in the model, by dialect, so that decoding and encoding in one dialect changes
   * nothing.
   */
  readonly ext?: { readonly [dialect: string]: JsonObject }
}

export type Outcome = 'completed' | 'failed' | 'cancelled' | 'rejected'
export type Risk = 'low' | 'medium' | 'high'
export type TextChannel = 'answer' | 'reasoning'
export type BoundaryHint = 'none' | 'word' | 'sentence' | 'paragraph' | 'completion'

export interface SessionError {
  readonly category?: 'transient' | 'permanent' | 'requires_user' | 'unknown'
  readonly code?: string
  readonly message?: string
  readonly recoverable?: boolean
  readonly hint?: string
}

export interface SessionStart {
  readonly kind: 'session-start'
  readonly request?: string
  readonly tools?: readonly string[]
  readonly meta?: Meta
}

export interface SessionEnd {
  readonly kind: 'session-end'
  readonly outcome: Outcome
  readonly error?: SessionError
  /** Who ended it, as the gateway saw it; or the role that ended it, such as `user` or `timeout`. */
  readonly by?: string
  /** Who ended it, according to a publisher. */
  readonly claimedBy?: string
  readonly durationMs?: number
  readonly meta?: Meta
}

export interface StateChange {
  readonly kind: 'state-change'
  readonly from?: string
  readonly to: string
  readonly meta?: Meta
}

export interface Progress {
  readonly kind: 'progress'
  readonly percent?: number
  readonly step?: number
  readonly total?: number
  readonly text?: string
  readonly etaMs?: number
  readonly meta?: Meta
}

export type Part =
  | { readonly type: 'text'; readonly text: string; readonly ext?: JsonObject }
  | {
      readonly type: 'file'
      readonly name?: string
      readonly mediaType?: string
      /** Base64, exactly one of `inline` and `uri`. A URI inside an event is never fetched. */
      readonly inline?: string
      readonly uri?: string
      readonly ext?: JsonObject
    }
  | {
      readonly type: 'data'
      readonly data: JsonValue
      readonly mediaType?: string
      readonly ext?: JsonObject
    }

export interface Message {
  readonly kind: 'message'
  readonly id: string
  readonly role: 'user' | 'agent'
  readonly parts: readonly Part[]
  readonly meta?: Meta
}

export interface TextDelta {
  readonly kind: 'text-delta'
  readonly output: string
  /** The incarnation of the output's text; settle() assigns it. */
  readonly take: number
  /** Well-formed Unicode once settled: no lone surrogates. */
  readonly text: string
  /** A high surrogate that ended the text and waits for its other half in the next delta. */
  readonly held?: string
  /** The text begins with the half that was held before, completed or replaced; settle() assigns it. */
  readonly joins?: true
  /** Code points of this take before this delta; settle() assigns it. */
  readonly position: number
  readonly channel: TextChannel
  readonly hint?: BoundaryHint
  readonly contentType?: string
  readonly language?: string
  readonly meta?: Meta
}

export interface TextEnd {
  readonly kind: 'text-end'
  readonly output: string
  readonly take: number
  readonly interrupted?: true
  readonly meta?: Meta
}

export interface TextReset {
  readonly kind: 'text-reset'
  readonly output: string
  /** The incarnation that starts here, empty. */
  readonly take: number
  readonly channel: TextChannel
  readonly meta?: Meta
}

export interface PartAdd {
  readonly kind: 'part-add'
  readonly output: string
  readonly part: Exclude<Part, { type: 'text' }>
  readonly meta?: Meta
}

export interface ToolCall {
  readonly kind: 'tool-call'
  readonly call: string
  readonly tool: string
  readonly args?: JsonValue
  readonly argsSummary?: string
  readonly risk?: Risk
  readonly irreversible?: boolean
  readonly meta?: Meta
}

export interface ToolCallDelta {
  readonly kind: 'tool-call-delta'
  readonly call: string
  readonly argsText: string
  readonly meta?: Meta
}

export interface ToolResult {
  readonly kind: 'tool-result'
  readonly call: string
  readonly tool: string
  readonly status: 'success' | 'error' | 'timeout'
  readonly result?: JsonValue
  readonly message?: string
  readonly exitCode?: number
  readonly durationMs?: number
  readonly meta?: Meta
}

export interface Sources {
  readonly kind: 'sources'
  readonly items: readonly JsonValue[]
  readonly meta?: Meta
}

export type QuestionType = 'confirmation' | 'clarification' | 'authorization'
export type ResponseKind = 'freetext' | 'yes_no' | 'multiple_choice' | 'numeric'

export interface Choice {
  readonly value: string
  readonly label: string
}

export interface QuestionOpen {
  readonly kind: 'question-open'
  readonly question: QuestionType
  readonly token: string
  readonly text: string
  readonly consequence?: string
  readonly kinds?: readonly ResponseKind[]
  readonly choices?: readonly Choice[]
  readonly timeoutMs?: number
  readonly default?: string
  readonly allowed?: readonly string[]
  readonly risk?: Risk
  readonly irreversible?: boolean
  readonly meta?: Meta
}

export interface QuestionClose {
  readonly kind: 'question-close'
  readonly token: string
  readonly how: 'answered' | 'timeout' | 'cancelled'
  readonly decision?: string
  readonly response?: string | number | boolean
  /** Who answered, as the gateway saw it. */
  readonly by?: string
  /** Who answered, according to a publisher. */
  readonly claimedBy?: string
  readonly meta?: Meta
}

export interface Handoff {
  readonly kind: 'handoff'
  readonly reason: string
  readonly target: 'human' | 'specialist_agent' | 'escalation_queue'
  readonly uri?: string
  readonly context?: JsonObject
  readonly meta?: Meta
}

export interface Notice {
  readonly kind: 'notice'
  readonly level: 'debug' | 'info' | 'warning' | 'error'
  readonly text: string
  readonly code?: string
  readonly meta?: Meta
}

export interface Usage {
  readonly kind: 'usage'
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedTokens?: number
  readonly reasoningTokens?: number
  readonly cost?: { readonly amount: number; readonly currency: string }
  readonly model?: string
  readonly meta?: Meta
}

export interface StateData {
  readonly kind: 'state-data'
  /** Exactly one of the two. A patch is RFC 6902. */
  readonly snapshot?: JsonValue
  readonly patch?: readonly JsonValue[]
  readonly meta?: Meta
}

export interface Unknown {
  readonly kind: 'unknown'
  readonly type: string
  readonly data: JsonValue
  readonly meta?: Meta
}

/** One thing that happened. Closed: every switch over `kind` is exhaustive. */
export type SluiceEvent =
  | SessionStart
  | SessionEnd
  | StateChange
  | Progress
  | Message
  | TextDelta
  | TextEnd
  | TextReset
  | PartAdd
  | ToolCall
  | ToolCallDelta
  | ToolResult
  | Sources
  | QuestionOpen
  | QuestionClose
  | Handoff
  | Notice
  | Usage
  | StateData
  | Unknown

export type EventKind = SluiceEvent['kind']

/** Every kind, in the order of the documentation. */
export const eventKinds = [
  'session-start',
  'session-end',
  'state-change',
  'progress',
  'message',
  'text-delta',
  'text-end',
  'text-reset',
  'part-add',
  'tool-call',
  'tool-call-delta',
  'tool-result',
  'sources',
  'question-open',
  'question-close',
  'handoff',
  'notice',
  'usage',
  'state-data',
  'unknown',
] as const satisfies readonly EventKind[]
