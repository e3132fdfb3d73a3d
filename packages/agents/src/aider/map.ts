import {
  type AgentIdentity,
  type JsonValue,
  omitUndefined,
  type SluiceEvent,
  type Usage,
} from '@sluice/protocol'
import type { CliMapper, Mapped } from '../cli/cli-agent.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import { toFailureMessage, toReason } from './failure.ts'
import { type Answers, addBlank, addText, endAnswer, noAnswers } from './map-answer.ts'
import { cleanLine, type NativeLine, readLine, type TokenCounts } from './native.ts'

/** The state of a run of aider. */
export interface AiderState {
  /**
   * The text that aider printed before it read the prompt; undefined after that. Dropped, unless it turns out
   * to be an answer.
   */
  readonly startup: string | undefined
  readonly agent: AgentIdentity
  readonly answers: Answers
  /**
   * A provider error, or an answer that looks like one, with all lines since. Later lines decide which it is.
   */
  readonly doubt: { readonly reason: string; readonly lines: string } | undefined
  /** Why the run fails if nothing else follows. */
  readonly problem: string | undefined
  readonly tools: number
  readonly tokens: TokenCounts | undefined
  readonly cost: number | undefined
}

type Step = Mapped<AiderState>

/** Maps the text that aider prints. */
export const mapper: CliMapper<AiderState> = {
  format: 'text',
  initial: () => ({
    startup: '',
    agent: {},
    answers: noAnswers,
    doubt: undefined,
    problem: undefined,
    tools: 0,
    tokens: undefined,
    cost: undefined,
  }),
  step: (state, line) => (typeof line === 'string' ? stepLine(state, line) : { state, events: [] }),
  end(state) {
    const { answers, events } = endAnswer(state.answers)
    const problem = state.doubt?.reason ?? state.problem
    return {
      state: { ...state, answers, doubt: undefined },
      events: [...events, ...toUsage(state)],
      verdict:
        problem === undefined
          ? { ok: true, ...(answers.text === '' ? {} : { finalText: answers.text }) }
          : { ok: false, message: toFailureMessage(problem) },
    }
  },
}

function stepLine(state: AiderState, raw: string): Step {
  const text = cleanLine(raw)
  const line = readLine(text)
  const { startup, doubt, answers } = state
  if (line.type === 'prompt') return beginChat(state)
  if (line.type === 'tokens') return stepTokens(state, line)
  if (startup !== undefined) return stepStartup(state, `${startup}${text}\n`, line)
  if (doubt !== undefined) {
    if (line.type === 'retry') return stepRetry(state, doubt.reason)
    return { state: { ...state, doubt: { ...doubt, lines: `${doubt.lines}${text}\n` } }, events: [] }
  }
  if (line.type === 'provider-error' && !answers.isInFence)
    return { state: { ...state, doubt: { reason: toReason(line.name), lines: `${text}\n` } }, events: [] }
  return stepChat(state, line, text)
}

function stepStartup(state: AiderState, startup: string, line: NativeLine): Step {
  const { agent } = state
  switch (line.type) {
    case 'version':
      return { state: { ...state, agent: { ...agent, version: line.version } }, events: [] }
    case 'model':
      return { state: { ...state, agent: { ...agent, model: line.model } }, events: [] }
    case 'provider-error':
      return { state: { ...state, problem: toReason(line.name) }, events: [] }
    case 'text':
      return { state: { ...state, startup }, events: [] }
    case 'prompt':
    case 'tokens':
    case 'cost':
    case 'edit':
    case 'commit':
    case 'retry':
    case 'token-limit':
    case 'blank':
    case 'hint':
      return { state, events: [] }
  }
}

function beginChat(state: AiderState): Step {
  if (state.startup === undefined) return { state, events: [] }
  return { state: { ...state, startup: undefined, problem: undefined }, events: [sessionNotice(state.agent)] }
}

/**
 * The answer is complete. Emits text that was held back because it looked like an error, or because aider was
 * not seen to read the prompt.
 */
function stepTokens(state: AiderState, line: NativeLine & { type: 'tokens' }): Step {
  const begun = beginChat(state)
  const told = addLines(begun.state, `${state.startup ?? ''}${state.doubt?.lines ?? ''}`)
  const { sent, cacheHit, received } = line.tokens
  const before = state.tokens ?? { sent: 0, cacheHit: 0, received: 0 }
  return {
    state: {
      ...told.state,
      answers: { ...told.state.answers, isWhole: true, isInFence: false },
      doubt: undefined,
      problem: undefined,
      tokens: {
        sent: before.sent + sent,
        cacheHit: before.cacheHit + cacheHit,
        received: before.received + received,
      },
      cost: line.cost ?? state.cost,
    },
    events: [...begun.events, ...told.events],
  }
}

function stepRetry(state: AiderState, reason: string): Step {
  const notice: SluiceEvent = {
    kind: 'notice',
    level: 'warning',
    code: 'api_retry',
    text: `api retry (${reason})`,
    meta: { channel: 'warning' },
  }
  return { state: { ...state, doubt: undefined }, events: [notice] }
}

function stepChat(state: AiderState, line: NativeLine, text: string): Step {
  const { answers, tokens } = state
  if (line.type === 'blank') return { state: { ...state, answers: addBlank(answers, text) }, events: [] }
  if (line.type === 'token-limit' && !answers.isInFence)
    return addLines({ ...state, problem: 'token limit reached' }, `${text}\n`)
  // Before aider reports the tokens, and inside a code block, this line is the model's own text.
  const isOwn = tokens !== undefined && !answers.isInFence
  return (isOwn ? stepOwn(state, line) : undefined) ?? addLines(state, `${text}\n`)
}

function stepOwn(state: AiderState, line: NativeLine): Step | undefined {
  switch (line.type) {
    case 'edit':
      return addTool(state, 'edit', { path: line.path })
    case 'commit':
      return addTool(state, 'commit', { hash: line.hash, subject: line.subject })
    case 'cost':
      return { state: { ...state, cost: line.cost }, events: [] }
    case 'hint':
      return { state, events: [] }
    case 'version':
    case 'model':
    case 'prompt':
    case 'tokens':
    case 'provider-error':
    case 'retry':
    case 'token-limit':
    case 'blank':
    case 'text':
      return undefined
  }
}

function addLines(state: AiderState, lines: string): Step {
  if (lines === '') return { state, events: [] }
  const { answers, events } = addText(state.answers, lines)
  return { state: { ...state, answers }, events }
}

/** Something that aider did itself. It prints that only when it is done. */
function addTool(state: AiderState, tool: string, args: JsonValue): Step {
  const { answers, events } = endAnswer(state.answers)
  const tools = state.tools + 1
  const call = `${tool}_${tools}`
  return {
    state: { ...state, answers, tools },
    events: [
      ...events,
      { kind: 'tool-call', call, tool, args },
      { kind: 'tool-result', call, tool, status: 'success' },
    ],
  }
}

function toUsage({ tokens, cost, agent }: AiderState): readonly Usage[] {
  if (tokens === undefined) return []
  const { sent, cacheHit, received } = tokens
  return [
    {
      kind: 'usage',
      inputTokens: sent,
      outputTokens: received,
      ...(cacheHit === 0 ? {} : { cachedTokens: cacheHit }),
      ...omitUndefined({
        cost: cost === undefined ? undefined : { amount: cost, currency: 'USD' },
        model: agent.model,
      }),
    },
  ]
}
