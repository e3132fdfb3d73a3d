import {
  emptyTable,
  omitUndefined,
  type SluiceEvent,
  type Table,
  tableGet,
  tableSet,
  type Usage,
} from '@sluice/protocol'
import type { CliMapper, Mapped, Verdict } from '../cli/cli-agent.ts'
import { readPlan } from '../cli/read-plan.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import { unknownLine } from '../cli/unknown-line.ts'
import { toFailure, turnLimitExceeded } from './failure.ts'
import { type NativeLine, type NativeStats, readLine } from './native.ts'

export interface GeminiState {
  /** The session that the request resumes. */
  readonly expected: string | undefined
  /** Whether it works in a different session. If so, none of its output becomes an event. */
  readonly isElsewhere: boolean
  /** How many messages so far, including the open one. */
  readonly messages: number
  /** Whether the last message is still open. */
  readonly isOpen: boolean
  /** Of the last message. */
  readonly text: string
  readonly tools: Table<string>
  readonly isTurnLimited: boolean
  readonly isDone: boolean
}

type Step = Mapped<GeminiState>

/**
 * Maps what Gemini CLI prints to events. It prints no thoughts, and the pieces of its answer name no message.
 */
export const mapper: CliMapper<GeminiState> = {
  format: 'json',
  initial: ({ resume }) => ({
    expected: resume?.selector === 'id' ? resume.id : undefined,
    isElsewhere: false,
    messages: 0,
    isOpen: false,
    text: '',
    tools: emptyTable(),
    isTurnLimited: false,
    isDone: false,
  }),
  step: (state, line) => (state.isElsewhere ? { state, events: [] } : stepLine(state, readLine(line))),
  end: (state) => closeText(state, { isInterrupted: !state.isDone }),
}

function stepLine(state: GeminiState, line: NativeLine): Step {
  switch (line.type) {
    case 'init':
      return stepInit(state, line)
    case 'message':
      // The other messages repeat the prompt.
      return line.role === 'assistant' ? stepText(state, line) : { state, events: [] }
    case 'tool_use':
      return stepTool(state, line)
    case 'tool_result': {
      const { id, isError, output } = line
      const result: SluiceEvent = omitUndefined({
        kind: 'tool-result',
        call: id,
        tool: tableGet(state.tools, id) ?? 'unknown',
        status: isError ? 'error' : 'success',
        result: output,
      })
      return { state, events: [result] }
    }
    case 'error':
      return stepError(state, line)
    case 'result':
      return stepResult(state, line)
    case 'unknown':
      return { state, events: [unknownLine('gemini_cli', line.name)] }
    case 'malformed':
      return { state, events: [], isMalformed: true }
  }
}

function stepInit(state: GeminiState, { session, model }: NativeLine & { type: 'init' }): Step {
  // If no session has the id, Gemini CLI takes it as the number of a session, or as `latest`.
  if (state.expected !== undefined && state.expected !== session)
    return {
      state: { ...state, isElsewhere: true },
      events: [],
      verdict: { ok: false, message: 'session not found', endsNow: true },
    }
  const agent = omitUndefined({ session, model })
  return { state, events: [sessionNotice(agent)] }
}

function stepTool(state: GeminiState, line: NativeLine & { type: 'tool_use' }): Step {
  const { id, tool, args } = line
  const closed = closeText(state)
  const plan = tool === 'write_todos' ? readPlan(line.todos, 'description') : undefined
  return {
    state: { ...closed.state, tools: tableSet(closed.state.tools, id, tool) },
    events: [
      ...closed.events,
      omitUndefined({ kind: 'tool-call', call: id, tool, args }),
      ...(plan === undefined ? [] : [plan]),
    ],
  }
}

function stepText(state: GeminiState, { content, isDelta }: NativeLine & { type: 'message' }): Step {
  if (content === '') return { state, events: [] }
  // A whole message may repeat its pieces.
  if (!isDelta && state.isOpen && content === state.text) return closeText(state)
  const before = isDelta ? { state, events: [] } : closeText(state)
  const { isOpen, messages } = before.state
  const number = isOpen ? messages : messages + 1
  const delta: SluiceEvent = {
    kind: 'text-delta',
    output: toOutput(number),
    take: 0,
    position: 0,
    channel: 'answer',
    text: content,
  }
  const text = isOpen ? state.text + content : content
  return { state: { ...state, messages: number, isOpen: true, text }, events: [...before.events, delta] }
}

/** After this error, the result still reports success. */
const turnLimit = 'turn limit exceeded'
/** Errors with a fixed text. */
const known: ReadonlyMap<string, string> = new Map([
  ['Maximum session turns exceeded', turnLimit],
  ['Loop detected, stopping execution', 'loop detected'],
])

/** Maps an error. The run continues, unless its result says otherwise. */
function stepError(state: GeminiState, { isWarning, message }: NativeLine & { type: 'error' }): Step {
  const text = known.get(message) ?? `the agent reported ${isWarning ? 'a warning' : 'an error'}`
  const notice: SluiceEvent = {
    kind: 'notice',
    level: 'warning',
    code: isWarning ? 'agent_warning' : 'agent_error',
    text,
    meta: { channel: 'warning' },
  }
  return { state: { ...state, isTurnLimited: state.isTurnLimited || text === turnLimit }, events: [notice] }
}

function stepResult(state: GeminiState, { error, stats }: NativeLine & { type: 'result' }): Step {
  if (state.isDone) return { state, events: [] }
  const verdict: Verdict = state.isTurnLimited
    ? { ok: false, message: turnLimitExceeded }
    : error === undefined
      ? { ok: true, ...(state.text === '' ? {} : { finalText: state.text }) }
      : { ok: false, message: toFailure(error) }
  return { state: { ...state, isDone: true }, events: toUsage(stats), verdict }
}

function closeText(state: GeminiState, { isInterrupted = false } = {}): Step {
  if (!state.isOpen) return { state, events: [] }
  const end: SluiceEvent = {
    kind: 'text-end',
    output: toOutput(state.messages),
    take: 0,
    ...(isInterrupted ? { interrupted: true } : {}),
  }
  return { state: { ...state, isOpen: false }, events: [end] }
}

function toUsage(stats: NativeStats | undefined): readonly Usage[] {
  return stats?.inputTokens === undefined ? [] : [{ kind: 'usage', ...stats }]
}

function toOutput(number: number): string {
  return `message-${number}`
}
