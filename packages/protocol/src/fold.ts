import type { Entry } from './entry.ts'
import type { AgentIdentity, PartAdd, SluiceEvent, TextDelta, TextEnd, TextReset } from './events.ts'
import { parseIsoTime } from './iso-time.ts'
import { countCodePoints } from './segment/code-points.ts'
import {
  blankOutput,
  type CallState,
  copyState,
  type OutputState,
  type SessionState,
} from './session-state.ts'
import { tableGet, tableSet } from './table.ts'

/** `all` keeps what a snapshot shows; `open` forgets each text, argument and result when its output or call ends. */
export type Keep = 'all' | 'open'

/** The state after `event`. Pure; expects settled events. */
export function fold(state: SessionState, event: SluiceEvent, keep: Keep = 'all'): SessionState {
  const agent = event.meta?.agent
  const isKnown = agent === undefined || agent === state.agent || isSameAgent(state.agent, agent)
  return foldKind(isKnown ? state : withField(state, 'agent', keepSession(state.agent, agent)), event, keep)
}

/** The state after a whole entry. */
export function foldEntry(state: SessionState, entry: Entry, keep: Keep = 'all'): SessionState {
  let next = state
  for (const event of entry.events) next = fold(next, event, keep)
  return closeEntry(next, entry)
}

/** Marks `entry` as folded in, once all its events are. */
export function closeEntry(state: SessionState, entry: Omit<Entry, 'diagnostics'>): SessionState {
  const copied = entry.clean && entry.raw !== undefined ? entry.source.dialect : null
  const uniform = state.uniform === undefined || state.uniform === copied ? copied : null
  let eventAt = state.eventAt
  for (const event of entry.events) eventAt = Math.max(eventAt, timeOf(event, entry))
  const next = copyState(state)
  next.seq = entry.seq
  next.at = entry.at
  next.eventAt = eventAt
  next.uniform = uniform
  return next
}

/** When an event happened, in ms: by its producer's clock, else when its entry came in. */
export function timeOf(event: SluiceEvent, entry: { readonly at: number }): number {
  const at = event.meta?.at
  if (at === undefined) return entry.at
  const time = parseIsoTime(at)
  return Number.isNaN(time) ? entry.at : time
}

function foldKind(state: SessionState, event: SluiceEvent, keep: Keep): SessionState {
  switch (event.kind) {
    case 'session-start':
      return {
        ...state,
        started: true,
        ...(event.request === undefined ? {} : { request: event.request }),
        ...(event.tools === undefined ? {} : { tools: event.tools }),
      }
    case 'session-end': {
      const { kind: _kind, meta: _meta, ...end } = event
      return { ...state, end }
    }
    case 'state-change':
      return state.status === event.to ? state : withField(state, 'status', event.to)
    case 'progress':
      return withField(state, 'progress', event)
    case 'message':
      return keep === 'all' ? { ...state, messages: [...state.messages, event] } : state
    case 'text-delta':
      return foldDelta(state, event)
    case 'text-end':
      return setOutput(state, event, (output) => ({
        ...output,
        held: undefined,
        open: false,
        text: keep === 'all' ? output.text : '',
        interrupted: event.interrupted,
      }))
    case 'text-reset':
      return setOutput(state, event, (output) => ({
        ...output,
        channel: event.channel,
        take: event.take,
        text: '',
        length: 0,
        open: true,
        interrupted: undefined,
        held: undefined,
      }))
    case 'part-add':
      return setOutput(state, event, (output) =>
        keep === 'all' ? { ...output, parts: [...output.parts, event.part] } : output,
      )
    case 'tool-call': {
      const { kind: _kind, meta: _meta, risk: _risk, irreversible: _irreversible, ...call } = event
      const kept: CallState = keep === 'all' ? call : { call: call.call, tool: call.tool }
      return withField(state, 'calls', tableSet(state.calls, event.call, kept))
    }
    case 'tool-call-delta': {
      const call = tableGet(state.calls, event.call)
      if (call === undefined || keep === 'open') return state
      const argsText = (call.argsText ?? '') + event.argsText
      return withField(state, 'calls', tableSet(state.calls, event.call, { ...call, argsText }))
    }
    case 'tool-result': {
      const { kind: _kind, meta: _meta, ...result } = event
      const call = tableGet(state.calls, event.call)
      const kept: CallState =
        keep === 'all'
          ? { ...call, ...result }
          : { call: result.call, tool: result.tool, status: result.status }
      return withField(state, 'calls', tableSet(state.calls, event.call, kept))
    }
    case 'sources':
      return keep === 'all' ? { ...state, sources: [...state.sources, ...event.items] } : state
    case 'question-open':
      return {
        ...state,
        status: 'awaiting_input',
        questions: tableSet(state.questions, event.token, { opened: event }),
      }
    case 'question-close': {
      const question = tableGet(state.questions, event.token)
      if (question === undefined) return state
      const questions = tableSet(state.questions, event.token, { ...question, closed: event })
      return { ...state, questions, status: 'thinking' }
    }
    case 'usage':
      return withField(state, 'usage', event)
    case 'state-data':
      if (keep === 'open') return state
      return event.snapshot === undefined
        ? {
            ...state,
            data: { ...state.data, patches: [...(state.data?.patches ?? []), ...(event.patch ?? [])] },
          }
        : { ...state, data: { snapshot: event.snapshot, patches: [] } }
    case 'handoff':
    case 'notice':
    case 'unknown':
      return state
  }
}

function withField<Field extends keyof SessionState>(
  state: SessionState,
  field: Field,
  value: SessionState[Field],
): SessionState {
  const next: { [Each in Field]: SessionState[Each] } & SessionState = copyState(state)
  next[field] = value
  return next
}

function foldDelta(state: SessionState, event: TextDelta): SessionState {
  const known = tableGet(state.outputs, event.output)
  const next = copyState(state)
  next.outputs = tableSet(state.outputs, event.output, {
    output: event.output,
    channel: event.channel,
    take: event.take,
    text: known === undefined ? event.text : known.text + event.text,
    length: (known?.length ?? 0) + countCodePoints(event.text),
    open: true,
    interrupted: undefined,
    held: event.held,
    contentType: event.contentType ?? known?.contentType,
    language: event.language ?? known?.language,
    parts: known?.parts ?? blankOutput.parts,
    ext: known === undefined ? event.meta?.ext : known.ext,
  })
  if (event.channel === 'reasoning' && (known === undefined || known.take < 0)) next.status = 'thinking'
  return next
}

function setOutput(
  state: SessionState,
  event: TextEnd | TextReset | PartAdd,
  change: (output: OutputState) => OutputState,
): SessionState {
  const output = tableGet(state.outputs, event.output) ?? {
    ...blankOutput,
    output: event.output,
    channel: event.kind === 'text-reset' ? event.channel : 'answer',
    ext: event.meta?.ext,
  }
  return withField(state, 'outputs', tableSet(state.outputs, event.output, change(output)))
}

/** An agent tells its own session once. */
function keepSession(known: AgentIdentity | undefined, agent: AgentIdentity): AgentIdentity {
  const isKept = known?.session !== undefined && agent.session === undefined && known.kind === agent.kind
  return isKept ? { ...agent, session: known.session } : agent
}

function isSameAgent(known: AgentIdentity | undefined, agent: AgentIdentity): boolean {
  return (
    known !== undefined &&
    known.id === agent.id &&
    known.kind === agent.kind &&
    known.version === agent.version &&
    known.name === agent.name &&
    known.model === agent.model &&
    known.uri === agent.uri &&
    (agent.session === undefined || known.session === agent.session)
  )
}
