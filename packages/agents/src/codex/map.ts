import {
  emptyTable,
  type JsonObject,
  omitUndefined,
  type SluiceEvent,
  type Table,
  trimWhiteSpace,
} from '@sluice/protocol'
import type { CliMapper, Mapped } from '../cli/cli-agent.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import { unknownLine } from '../cli/unknown-line.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { toFailureMessage, toRetryText } from './failure.ts'
import { appendText, endTexts, endWhole, type MappedText, mapText, type TextStates } from './map-text.ts'
import { type CallTrack, mapTool } from './map-tool.ts'
import { type ItemPhase, type NativeItem, readLine } from './native.ts'
import { isOtherSession, toMissingMessage } from './session.ts'
import { toUsage } from './usage.ts'

/** The state of a run of codex. */
export interface CodexState {
  readonly request: CheckedRequest
  readonly startedAt: number | undefined
  readonly hasSession: boolean
  readonly texts: TextStates
  readonly calls: Table<CallTrack>
  /** The last emitted plan, as JSON. */
  readonly plan: string
  /** How many items came without an id. */
  readonly unnamed: number
  /** The failure if codex ends here: an error that nothing has followed. */
  readonly failure: string | undefined
  readonly finalText: string | undefined
  readonly isTurnOver: boolean
}

type Step = Mapped<CodexState>

/** Maps the lines of `codex exec --json`. */
export const mapper: CliMapper<CodexState> = {
  format: 'json',
  initial: (request, _options, startedAt) => ({
    request,
    startedAt,
    hasSession: false,
    texts: { table: emptyTable(), last: undefined },
    calls: emptyTable(),
    plan: '',
    unnamed: 0,
    failure: undefined,
    finalText: undefined,
    isTurnOver: false,
  }),
  step(state, line) {
    const event = readLine(line)
    switch (event?.type) {
      case undefined:
        return { state, events: [], isMalformed: true }
      case 'session':
        return stepSession(state, event.id)
      case 'turn-start':
        return { state: { ...state, isTurnOver: false }, events: [] }
      case 'turn-end':
        return endTurn(state, event.usage)
      case 'turn-failure':
        return failTurn(state, event.message)
      case 'error':
        return stepError(state, event.message)
      case 'item':
        return stepItem(state, event.item, event.phase)
      case 'delta':
        return withTexts(state, appendText(state.texts, event.id || 'unnamed', event.text))
      case 'unknown':
        return { state, events: [unknownLine('codex', event.name)] }
    }
  },
  end(state) {
    const ended = withTexts(state, endTexts(state.texts))
    if (state.isTurnOver || state.failure === undefined) return ended
    return { ...ended, verdict: { ok: false, message: state.failure } }
  },
}

function stepSession(state: CodexState, id: string): Step {
  if (state.hasSession || trimWhiteSpace(id) === '') return { state, events: [] }
  const next = { ...state, hasSession: true }
  const { request, startedAt } = state
  if (isOtherSession(request, id, startedAt))
    return {
      state: next,
      events: [],
      verdict: { ok: false, message: toMissingMessage(request), endsNow: true },
    }
  const { model } = request
  return { state: next, events: [sessionNotice(omitUndefined({ session: id, model }))] }
}

function endTurn(state: CodexState, usage: JsonObject): Step {
  if (state.isTurnOver) return { state, events: [] }
  const { finalText } = state
  return {
    state: { ...state, isTurnOver: true },
    events: [toUsage(usage)],
    verdict: omitUndefined({ ok: true, finalText }),
  }
}

function failTurn(state: CodexState, error: string): Step {
  if (state.isTurnOver) return { state, events: [] }
  const message = toFailureMessage(error, { hasModel: hasModel(state) })
  return { state: { ...state, isTurnOver: true }, events: [], verdict: { ok: false, message } }
}

/** Codex may recover from an error: it is fatal only if nothing good follows. */
function stepError(state: CodexState, error: string): Step {
  if (state.isTurnOver) return { state, events: [] }
  const retry = toRetryText(error)
  return {
    state: { ...state, failure: toFailureMessage(error, { hasModel: hasModel(state) }) },
    events: [
      retry === undefined
        ? toWarning('agent_error', 'the agent reported an error')
        : toWarning('api_retry', retry),
    ],
  }
}

function stepItem(state: CodexState, item: NativeItem, phase: ItemPhase): Step {
  switch (item.type) {
    case 'text':
    case 'tool': {
      if (item.id !== '') return stepNamed(state, item, phase)
      // Without an id, a start cannot be matched with its end.
      if (phase !== 'end') return { state, events: [] }
      const unnamed = state.unnamed + 1
      return stepNamed({ ...state, unnamed }, { ...item, id: `unnamed_${unnamed}` }, phase)
    }
    case 'plan': {
      const plan = JSON.stringify(item.plan ?? '')
      if (item.plan === undefined || plan === state.plan) return { state, events: [] }
      return { state: { ...state, plan, failure: undefined }, events: [item.plan] }
    }
    case 'warning':
      return { state, events: [toWarning('agent_warning', 'the agent reported a warning')] }
    case 'unknown':
      return { state, events: phase === 'end' ? [unknownLine('codex', item.name)] : [] }
  }
}

function stepNamed(
  before: CodexState,
  item: Extract<NativeItem, { type: 'text' | 'tool' }>,
  phase: ItemPhase,
): Step {
  // Codex works, so it has recovered from earlier errors.
  const state = { ...before, failure: undefined }
  const isEnd = phase === 'end'
  if (item.type === 'text') {
    const { id: output, channel, text } = item
    const finalText = isEnd && channel === 'answer' ? text : state.finalText
    return withTexts({ ...state, finalText }, mapText(state.texts, { output, channel, text, isWhole: isEnd }))
  }
  const { calls, events } = mapTool(state.calls, item, phase)
  if (events.length === 0) return { state, events }
  const ended = withTexts({ ...state, calls }, endWhole(state.texts))
  return { ...ended, events: [...ended.events, ...events] }
}

function withTexts(state: CodexState, { texts, events }: MappedText): Step {
  return { state: { ...state, texts }, events }
}

function hasModel({ request }: CodexState): boolean {
  return request.model !== undefined
}

function toWarning(code: string, text: string): SluiceEvent {
  return { kind: 'notice', level: 'warning', code, text, meta: { channel: 'warning' } }
}
