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
  /** The text of the current take, without the code points that `omitted` counts. */
  readonly text: string
  /** How many code points of the take before `text` are left out; see window.ts. */
  readonly omitted: number
  /** The beginning of a text of which something is left out. */
  readonly head: string | undefined
  /** The entry in which the take began. */
  readonly from: number
  /** Its number among the outputs of its channel, from 1. */
  readonly ordinal: number
  /** Code points of the current take. */
  readonly length: number
  readonly open: boolean
  readonly interrupted: true | undefined
  readonly held: string | undefined
  readonly contentType: string | undefined
  readonly language: string | undefined
  readonly parts: readonly Exclude<Part, { type: 'text' }>[]
  /** How many parts before `parts` are left out. */
  readonly omittedParts: number
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
  omitted: 0,
  head: undefined,
  from: 0,
  ordinal: 0,
  parts: [],
  omittedParts: 0,
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
  /** Its arguments and results are left out; see window.ts. */
  readonly omitted?: true
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

/** How many things a state no longer holds; see window.ts. */
export interface Omitted {
  readonly outputs?: number
  readonly calls?: number
  readonly questions?: number
  readonly messages?: number
  readonly sources?: number
}

/** The keys of what is open, in the order of opening. */
export interface OpenThings {
  readonly outputs: readonly string[]
  readonly calls: readonly string[]
  readonly questions: readonly string[]
}

/** Facts about rows that the state may have forgotten. */
export interface SessionHistory {
  /** How many outputs of each channel there were. */
  readonly answers: number
  readonly thoughts: number
  /** The latest take of any output that was forgotten; -1 if none was. */
  readonly forgottenTake: number
  /** A confirmation was accepted. */
  readonly isConfirmed: boolean
  /** The state is made lighter above this weight, if that is more than the window's. */
  readonly shedAt: number
}

/**
 * The state of a session: the fold of its entries. Plain JSON. However long the session is, it holds a bounded window
 * (window.ts).
 */
export interface SessionState {
  readonly id: string
  /** The session's id in its producer's dialect, if it differs. */
  readonly foreign: string | undefined
  readonly context: string | undefined
  /** The last folded entry; -1 before the first. */
  readonly seq: number
  /** When the last entry came in, in ms since 1970. */
  readonly at: number
  /** The latest time of an event (see timeOf()). A dialect with ordered timestamps continues from it. */
  readonly eventAt: number
  /** The dialect of every entry so far, if each was a clean frame of it; null once one was not. */
  readonly uniform: string | null | undefined
  readonly started: boolean
  readonly request: string | undefined
  readonly tools: readonly string[] | undefined
  readonly agent: AgentIdentity | undefined
  /** The agent's activity, in AAEP's words; `idle` at first. */
  readonly status: string
  readonly progress: Progress | undefined
  readonly outputs: Table<OutputState>
  readonly calls: Table<CallState>
  readonly questions: Table<QuestionState>
  readonly messages: readonly Message[]
  readonly sources: readonly JsonValue[]
  readonly usage: Usage | undefined
  /** Shared application state: the last snapshot, and the patches since. */
  readonly data: SharedData | undefined
  readonly end: SessionEnding | undefined
  readonly omitted: Omitted | undefined
  readonly open: OpenThings
  readonly history: SessionHistory
  /** The length of its texts and payloads. */
  readonly weight: number
}

/** Without `omitted`, the patches apply to the snapshot, or to nothing if there was none. */
export interface SharedData {
  readonly snapshot?: JsonValue
  readonly patches: readonly JsonValue[]
  /** The snapshot and earlier patches are left out. */
  readonly omitted?: true
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
    omitted: undefined,
    open: { outputs: [], calls: [], questions: [] },
    history: { answers: 0, thoughts: 0, forgottenTake: -1, isConfirmed: false, shedAt: 0 },
    weight: 0,
  }
}

/** A state that may still be changed. */
export type StateDraft = { -readonly [Field in keyof SessionState]: SessionState[Field] }

/**
 * A copy to write to. Written out: a spread of this many fields costs a microsecond, this a few nanoseconds.
 */
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
    omitted: state.omitted,
    open: state.open,
    history: state.history,
    weight: state.weight,
  }
}
