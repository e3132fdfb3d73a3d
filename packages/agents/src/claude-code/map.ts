import { randomUUID } from 'node:crypto'
import { omitUndefined, type RunAnswer, type SluiceEvent } from '@sluice/protocol'
import type { CliMapper, Mapped } from '../cli/cli-agent.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import { unknownLine } from '../cli/unknown-line.ts'
import { isAsking, toUserLine } from './command.ts'
import { type AskStep, answerAsk, openAsk, refuseRequest, withdrawAsk } from './map-ask.ts'
import { toNotice } from './map-notice.ts'
import { addPiece, addWhole, beginMessage, endAllTexts, endTexts, noTexts, stopPieces } from './map-text.ts'
import { addCall, endCall, noCalls } from './map-tool.ts'
import { endRun, endTurn } from './map-turn.ts'
import { type NativeLine, readLine } from './native.ts'
import type { ClaudeState } from './state.ts'

type Step = Mapped<ClaudeState>

/** Maps what Claude Code prints to events. */
export const mapper: CliMapper<ClaudeState> = {
  format: 'json',
  initial: (request, options) => ({
    request,
    askTimeoutMs: options.askTimeoutMs,
    isOpen: isAsking(request, options),
    seed: randomUUID().slice(0, -12),
    sent: 0,
    unread: [],
    session: undefined,
    model: undefined,
    texts: noTexts,
    calls: noCalls,
    asks: [],
    error: undefined,
    hasSpoken: false,
    totalCost: undefined,
    tellsState: false,
    held: undefined,
    isOver: false,
  }),
  step(state, line) {
    const step = stepLine(state, readLine(line))
    const { held, isOver, unread } = step.state
    // Claude Code may hang instead of reporting that it is done.
    return held === undefined || isOver || unread.length > 0 ? step : { ...step, tentative: held }
  },
  answer: (state, answer: RunAnswer) => takeAsk(state, answerAsk(state.asks, answer)),
  message(state, text) {
    if (!state.isOpen || state.isOver) return undefined
    const sent = state.sent + 1
    const uuid = state.seed + sent.toString(16).padStart(12, '0')
    return {
      state: { ...state, sent, unread: [...state.unread, uuid] },
      events: [],
      write: [toUserLine(text, uuid)],
    }
  },
  end(state) {
    const { texts, events } = endAllTexts(state.texts)
    const { held, isOver } = state
    const isHeld = held !== undefined && !isOver
    return { state: { ...state, texts, isOver: true }, events, ...(isHeld ? { verdict: held } : {}) }
  },
  isBanner: (line) => line.startsWith('[SandboxDebug]'),
}

function stepLine(state: ClaudeState, line: NativeLine): Step {
  switch (line.type) {
    case 'init':
      return stepInit(state, line)
    case 'retry':
    case 'denied':
    case 'compacted':
    case 'other_model':
    case 'rate_limit':
      return { state, events: [toNotice(line)] }
    case 'state':
      return line.isIdle
        ? endRun({ ...state, tellsState: true })
        : { state: { ...state, tellsState: true }, events: [] }
    case 'piece':
      return stepPiece(goOn(state), line)
    case 'assistant':
      return stepAssistant(goOn(state), line)
    case 'user':
      return stepUser(goOn(state), line)
    case 'taken':
      return { state: markTaken(state, line.message), events: [] }
    case 'ask': {
      const ended = endTexts(state.texts, undefined)
      const step = takeAsk({ ...state, texts: ended.texts }, openAsk(state.asks, line, state.askTimeoutMs))
      return { ...step, events: [...ended.events, ...step.events] }
    }
    case 'want':
      return { state, events: [], write: [refuseRequest(line.id)] }
    case 'unask':
      return takeAsk(state, withdrawAsk(state.asks, line.id))
    case 'result':
      return endTurn(state, line)
    case 'nothing':
      return { state, events: [] }
    case 'unknown':
      return { state, events: [unknownLine('claude_code', line.name)] }
  }
}

/** Every turn begins with this line; the session is reported once. */
function stepInit(state: ClaudeState, { session, model, version }: NativeLine & { type: 'init' }): Step {
  const next = { ...goOn(state), model: model ?? state.model }
  if (session === undefined || session === state.session) return { state: next, events: [] }
  const notice = sessionNotice({
    session,
    ...omitUndefined({ model, version }),
  })
  return { state: { ...next, session }, events: [notice] }
}

function stepPiece(state: ClaudeState, line: NativeLine & { type: 'piece' }): Step {
  const { parent } = line
  if (line.piece === 'start')
    return { state: { ...state, texts: beginMessage(state.texts, parent, line.id) }, events: [] }
  if (line.piece === 'stop')
    return { state: { ...state, texts: stopPieces(state.texts, parent, line.index) }, events: [] }
  const { texts, events } = addPiece(state.texts, parent, line)
  return { state: { ...state, texts, hasSpoken: state.hasSpoken || speaks(line) }, events }
}

function stepAssistant(state: ClaudeState, line: NativeLine & { type: 'assistant' }): Step {
  const { parent, id, error, blocks } = line
  if (error !== undefined) return { state: parent === undefined ? { ...state, error } : state, events: [] }
  let next: ClaudeState = parent === undefined ? { ...state, error: undefined } : state
  const events: SluiceEvent[] = []
  for (const block of blocks) {
    if (block.type === 'text') {
      const told = addWhole(next.texts, parent, { id, channel: block.channel, text: block.text })
      next = { ...next, texts: told.texts, hasSpoken: next.hasSpoken || speaks({ ...block, parent }) }
      events.push(...told.events)
    } else if (block.type === 'call') {
      const ended = endTexts(next.texts, parent)
      const called = addCall(next.calls, block, parent)
      next = { ...next, texts: ended.texts, calls: called.calls }
      events.push(...ended.events, ...called.events)
    } else {
      const done = endCall(next.calls, { block, parent })
      next = { ...next, calls: done.calls }
      events.push(...done.events)
    }
  }
  return { state: next, events }
}

/** Tool results arrive as user messages. So do the prompt and our own messages, which are already stored. */
function stepUser(state: ClaudeState, line: NativeLine & { type: 'user' }): Step {
  const { parent, blocks, detail, taken } = line
  const outcomes = blocks.filter((block) => block.type === 'outcome')
  let next = taken === undefined ? state : markTaken(state, taken)
  const events: SluiceEvent[] = []
  for (const outcome of outcomes) {
    const done = endCall(next.calls, {
      block: outcome,
      parent,
      detail: outcomes.length === 1 ? detail : undefined,
    })
    next = { ...next, calls: done.calls }
    events.push(...done.events)
  }
  return { state: next, events }
}

function takeAsk(state: ClaudeState, { asks, events, write }: AskStep): Step {
  return { state: { ...state, asks }, events, ...(write.length === 0 ? {} : { write }) }
}

/** A turn is running, so the end of the previous one is not the end of the run. */
function goOn(state: ClaudeState): ClaudeState {
  return state.held === undefined || state.isOver ? state : { ...state, held: undefined }
}

/**
 * Claude Code has read one of our messages. If the turn had already ended, the message starts another one.
 */
function markTaken(state: ClaudeState, message: string): ClaudeState {
  return state.unread.includes(message)
    ? goOn({ ...state, unread: state.unread.filter((id) => id !== message) })
    : state
}

function speaks({
  parent,
  channel,
  text,
}: {
  readonly parent: string | undefined
  readonly channel: string
  readonly text: string
}): boolean {
  return parent === undefined && channel === 'answer' && text !== ''
}
