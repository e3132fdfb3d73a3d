import { emptyTable, type SluiceEvent, type Table, tableGet, tableSet, type Usage } from '@sluice/protocol'
import type { CliMapper, Mapped, Verdict } from '../cli/cli-agent.ts'
import { readPlan } from '../cli/read-plan.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import { unknownLine } from '../cli/unknown-line.ts'
import { toFailure, turnLimitExceeded } from './failure.ts'
import { type NativeLine, type NativeStats, readLine } from './native.ts'

export interface GeminiState {
  /** The session that it was asked to take up. */
  readonly expected: string | undefined
  /** Whether it works in another session than that: what it does there is not told. */
  readonly isElsewhere: boolean
  /** How many messages there were, with the one that is open. */
  readonly messages: number
  /** Whether the last message goes on. */
  readonly isOpen: boolean
  /** Of the last message. */
  readonly text: string
  readonly tools: Table<string>
  readonly isTurnLimited: boolean
  readonly isDone: boolean
}

type Step = Mapped<GeminiState>

/** What Gemini CLI prints as events. It prints no thoughts, and the answer in pieces that belong to no named message. */
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
  end: (state) => closeText(state, !state.isDone),
}

function stepLine(state: GeminiState, line: NativeLine): Step {
  switch (line.type) {
    case 'init':
      return stepInit(state, line)
    case 'message':
      // The other messages are the prompt, as it was given.
      return line.role === 'assistant' ? stepText(state, line) : { state, events: [] }
    case 'tool_use':
      return stepTool(state, line)
    case 'tool_result': {
      const { id, isError, output } = line
      const result: SluiceEvent = {
        kind: 'tool-result',
        call: id,
        tool: tableGet(state.tools, id) ?? 'unknown',
        status: isError ? 'error' : 'success',
        ...(output === undefined ? {} : { result: output }),
      }
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
  // It takes an id for the number of a session, or for `latest`, where no session has that id.
  if (state.expected !== undefined && state.expected !== session)
    return {
      state: { ...state, isElsewhere: true },
      events: [],
      verdict: { ok: false, message: 'session not found', endsNow: true },
    }
  const agent = { ...(session === undefined ? {} : { session }), ...(model === undefined ? {} : { model }) }
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
      { kind: 'tool-call', call: id, tool, ...(args === undefined ? {} : { args }) },
      ...(plan === undefined ? [] : [plan]),
    ],
  }
}

function stepText(state: GeminiState, { content, isDelta }: NativeLine & { type: 'message' }): Step {
  if (content === '') return { state, events: [] }
  // A whole message may repeat what came in pieces.
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

/** The result behind it says that all went well. */
const turnLimit = 'turn limit exceeded'
/** What it says in the same words each time. */
const known: ReadonlyMap<string, string> = new Map([
  ['Maximum session turns exceeded', turnLimit],
  ['Loop detected, stopping execution', 'loop detected'],
])

/** Something went wrong, and the run goes on, or its result says that it does not. */
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

function closeText(state: GeminiState, isInterrupted = false): Step {
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
