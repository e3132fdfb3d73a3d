import {
  createSessionState,
  fold,
  type QuestionClose,
  type QuestionOpen,
  type SessionEnd,
  type SessionState,
  SluiceError,
  type SluiceEvent,
  settle,
  tableGet,
  tablePick,
} from '@sluice/protocol'
import { misuse } from './misuse.ts'

/** What an agent has sent and received, as far as it decides what may come next. Immutable. */
export interface SessionOrder {
  readonly state: SessionState
  /** Whether the last decided confirmation allows irreversible tools. */
  readonly isPermitted: boolean
}

export function createSessionOrder(session: string): SessionOrder {
  return { state: createSessionState({ id: session }), isPermitted: false }
}

export interface Advanced {
  readonly order: SessionOrder
  /** As they are published: settled, so that settling them again adds nothing. */
  readonly events: readonly SluiceEvent[]
}

/** The order after all of `events`. Throws a misuse error or `session_ended`, and then applies none. */
export function advance(order: SessionOrder, events: readonly SluiceEvent[]): Advanced {
  let { state } = order
  const sent: SluiceEvent[] = []
  for (const event of events) {
    assertFits(state, event, { isPermitted: order.isPermitted })
    const settled = settle(state, [event])
    state = settled.state
    sent.push(...settled.events)
  }
  return { order: { ...order, state }, events: sent }
}

/** The order after somebody else closed a question. */
export function hear(order: SessionOrder, close: QuestionClose): SessionOrder {
  const question = tableGet(order.state.questions, close.token)
  if (question === undefined || question.closed !== undefined) return order
  const { opened } = question
  const isPermitted = opened.question === 'confirmation' ? isAccepted(opened, close) : order.isPermitted
  return { state: fold(order.state, close), isPermitted }
}

/** The order after somebody else ended the session. */
export function hearEnd(order: SessionOrder, end: SessionEnd): SessionOrder {
  return order.state.end === undefined ? { ...order, state: fold(order.state, end) } : order
}

/** A timeout allows irreversible tools only if the question itself was irreversible. */
function isAccepted({ irreversible }: QuestionOpen, { decision, how }: QuestionClose): boolean {
  return decision === 'accept' && (how === 'answered' || irreversible === true)
}

/**
 * What closes everything open before an end. A session that completes has no open question and no open call:
 * closing them for it would hide a mistake.
 */
export function closersOf(state: SessionState, outcome: SessionEnd['outcome']): readonly SluiceEvent[] {
  const isComplete = outcome === 'completed'
  const questions = isComplete ? [] : openQuestions(state)
  const calls = isComplete ? [] : openCalls(state)
  const interrupted = isComplete ? {} : { interrupted: true as const }
  return [
    ...questions.map(({ token }) => ({ kind: 'question-close', token, how: 'cancelled' }) as const),
    ...calls.map(({ call, tool }) => ({ kind: 'tool-result', call, tool, status: 'timeout' }) as const),
    ...tablePick(state.outputs, state.open.outputs).map(
      ({ output, take }) => ({ kind: 'text-end', output, take, ...interrupted }) as const,
    ),
  ]
}

export function openQuestions(state: SessionState): readonly QuestionOpen[] {
  return tablePick(state.questions, state.open.questions).map(({ opened }) => opened)
}

function openCalls(state: SessionState) {
  return tablePick(state.calls, state.open.calls)
}

export function isOpenCall(state: SessionState, id: string): boolean {
  const call = tableGet(state.calls, id)
  return call !== undefined && call.status === undefined
}

function assertFits(
  state: SessionState,
  event: SluiceEvent,
  { isPermitted }: { readonly isPermitted: boolean },
): void {
  if (state.end !== undefined) throw new SluiceError('session_ended')
  switch (event.kind) {
    case 'text-delta':
    case 'text-end': {
      const output = tableGet(state.outputs, event.output)
      if (output !== undefined && !output.open) throw misuse('chunk_after_complete')
      if (event.kind === 'text-delta' && output !== undefined && output.channel !== event.channel)
        throw misuse('other_channel')
      return
    }
    case 'tool-call':
      if (tableGet(state.calls, event.call) !== undefined) throw misuse('call_repeated')
      if (event.irreversible === true && !isPermitted) throw misuse('unconfirmed')
      return
    case 'tool-result':
      if (!isOpenCall(state, event.call)) throw misuse('result_without_call')
      return
    case 'state-change':
      if (openQuestions(state).length > 0) throw misuse('question_open')
      return
    case 'question-open':
      assertSafe(state, event)
      return
    case 'session-end':
      if (event.outcome !== 'completed') return
      if (openQuestions(state).length > 0) throw misuse('question_open')
      if (openCalls(state).length > 0) throw misuse('call_left_open')
      return
    case 'session-start':
    case 'progress':
    case 'message':
    case 'text-reset':
    case 'part-add':
    case 'tool-call-delta':
    case 'sources':
    case 'question-close':
    case 'handoff':
    case 'notice':
    case 'usage':
    case 'state-data':
    case 'unknown':
      return
  }
  event satisfies never
}

function assertSafe(state: SessionState, event: QuestionOpen): void {
  if (event.question !== 'confirmation') return
  if (event.irreversible === true && event.risk !== 'low' && (event.default ?? 'reject') !== 'reject')
    throw misuse('unsafe_default')
  const isAsked = openQuestions(state).some(
    ({ question, text }) => question === 'confirmation' && text === event.text,
  )
  if (isAsked) throw misuse('asked_twice')
}
