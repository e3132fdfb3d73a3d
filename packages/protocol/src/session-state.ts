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
  readonly interrupted: true | undefined
  readonly held: string | undefined
  readonly contentType: string | undefined
  readonly language: string | undefined
  readonly parts: readonly Exclude<Part, { type: 'text' }>[]
  /** The `meta.ext` of the event that first named the output. */
  readonly ext: NonNullable<Meta['ext']> | undefined
}

/** An output before its first text. */
export const blankOutput: OutputState = {
  output: '',
  channel: 'answer',
  take: -1,
  text: '',
  length: 0,
  open: false,
  interrupted: undefined,
  held: undefined,
  contentType: undefined,
  language: undefined,
  parts: [],
  ext: undefined,
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

export interface SessionEnding {
  readonly outcome: Outcome
  readonly error?: SessionError
  readonly by?: string
  readonly claimedBy?: string
  readonly durationMs?: number
}

/** What a session has come to: the fold of its entries. Plain JSON. */
export interface SessionState {
  readonly id: string
  /** The session's id in its producer's contract, where that is another one. */
  readonly foreign: string | undefined
  readonly context: string | undefined
  /** The last entry folded in; -1 before the first. */
  readonly seq: number
  /** When the last entry came in, ms since 1970. */
  readonly at: number
  /** The latest time of an event (see timeOf()): what a contract with ordered timestamps goes on from. */
  readonly eventAt: number
  /** The dialect whose frames every entry so far is, clean; null once one was not. */
  readonly uniform: string | null | undefined
  readonly started: boolean
  readonly request: string | undefined
  readonly tools: readonly string[] | undefined
  readonly agent: AgentIdentity | undefined
  /** What the agent is doing, in AAEP's words: `idle` at first. */
  readonly status: string
  readonly progress: Progress | undefined
  readonly outputs: Table<OutputState>
  readonly calls: Table<CallState>
  readonly questions: Table<QuestionState>
  readonly messages: readonly Message[]
  readonly sources: readonly JsonValue[]
  readonly usage: Usage | undefined
  /** Shared application state: the last snapshot, and the patches since. */
  readonly data: { readonly snapshot?: JsonValue; readonly patches: readonly JsonValue[] } | undefined
  readonly end: SessionEnding | undefined
}

/** A session before its first entry. */
export function createSessionState(identity: {
  readonly id: string
  readonly foreign?: string | undefined
  readonly context?: string | undefined
}): SessionState {
  return {
    id: identity.id,
    foreign: identity.foreign,
    context: identity.context,
    seq: -1,
    at: 0,
    eventAt: 0,
    uniform: undefined,
    started: false,
    request: undefined,
    tools: undefined,
    agent: undefined,
    status: 'idle',
    progress: undefined,
    outputs: emptyTable(),
    calls: emptyTable(),
    questions: emptyTable(),
    messages: [],
    sources: [],
    usage: undefined,
    data: undefined,
    end: undefined,
  }
}

/** A state that may still be written to. */
export type StateDraft = { -readonly [Field in keyof SessionState]: SessionState[Field] }

/** A copy to write to. Spelled out: a spread of so many fields costs a microsecond, this a few nanoseconds. */
export function copyState(state: SessionState): StateDraft {
  return {
    id: state.id,
    foreign: state.foreign,
    context: state.context,
    seq: state.seq,
    at: state.at,
    eventAt: state.eventAt,
    uniform: state.uniform,
    started: state.started,
    request: state.request,
    tools: state.tools,
    agent: state.agent,
    status: state.status,
    progress: state.progress,
    outputs: state.outputs,
    calls: state.calls,
    questions: state.questions,
    messages: state.messages,
    sources: state.sources,
    usage: state.usage,
    data: state.data,
    end: state.end,
  }
}
