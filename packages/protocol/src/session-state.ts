import type {
  AgentIdentity,
  Message,
  Meta,
  Outcome,
  Part,
  Progress,
  QuestionClose,
  QuestionOpen,
  SessionError,
  TextChannel,
  ToolResult,
  Usage,
} from './events.ts'
import type { JsonValue } from './json.ts'
import { emptyTable, type Table } from './table.ts'

export interface OutputState {
  readonly output: string
  readonly channel: TextChannel
  /** -1 while the output has parts but no text. */
  readonly take: number
  /** The text of the current take; empty once ended where only open texts are kept. */
  readonly text: string
  /** Code points of the current take. */
  readonly length: number
  readonly open: boolean
  readonly interrupted?: true
  readonly held?: string
  readonly contentType?: string
  readonly language?: string
  readonly parts: readonly Exclude<Part, { type: 'text' }>[]
  /** The `meta.ext` of the event that first named the output. */
  readonly ext?: NonNullable<Meta['ext']>
}

export interface CallState {
  readonly call: string
  readonly tool: string
  readonly args?: JsonValue
  readonly argsText?: string
  readonly argsSummary?: string
  /** Absent while the call runs. */
  readonly status?: ToolResult['status']
  readonly result?: JsonValue
  readonly message?: string
  readonly exitCode?: number
  readonly durationMs?: number
}

export interface QuestionState {
  readonly opened: QuestionOpen
  /** Absent while the question is open. */
  readonly closed?: QuestionClose
}

/** What a session has come to: the fold of its entries. Plain JSON. */
export interface SessionState {
  readonly id: string
  /** The session's id in its producer's contract, where that is another one. */
  readonly foreign?: string
  readonly context?: string
  /** The last entry folded in; -1 before the first. */
  readonly seq: number
  /** When the last entry came in, ms since 1970. */
  readonly at: number
  /** The latest time of an event (see timeOf()): what a contract with ordered timestamps goes on from. */
  readonly eventAt: number
  /** The dialect whose frames every entry so far is, clean; null once one was not. */
  readonly uniform?: string | null
  readonly started: boolean
  readonly request?: string
  readonly tools?: readonly string[]
  readonly agent?: AgentIdentity
  /** What the agent is doing, in AAEP's words: `idle` at first. */
  readonly status: string
  readonly progress?: Progress
  readonly outputs: Table<OutputState>
  readonly calls: Table<CallState>
  readonly questions: Table<QuestionState>
  readonly messages: readonly Message[]
  readonly sources: readonly JsonValue[]
  readonly usage?: Usage
  /** Shared application state: the last snapshot, and the patches since. */
  readonly data?: { readonly snapshot?: JsonValue; readonly patches: readonly JsonValue[] }
  readonly end?: {
    readonly outcome: Outcome
    readonly error?: SessionError
    readonly by?: string
    readonly durationMs?: number
  }
}

/** A session before its first entry. */
export function createSessionState(identity: {
  id: string
  foreign?: string
  context?: string
}): SessionState {
  return {
    ...identity,
    seq: -1,
    at: 0,
    eventAt: 0,
    started: false,
    status: 'idle',
    outputs: emptyTable(),
    calls: emptyTable(),
    questions: emptyTable(),
    messages: [],
    sources: [],
  }
}
