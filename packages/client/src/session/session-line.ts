import {
  type Outcome,
  omitUndefined,
  type QuestionClose,
  type QuestionOpen,
  type SessionEnd,
  type SessionState,
  SluiceError,
  type SluiceEvent,
} from '@sluice/protocol'
import { followSignal } from '../follow-signal.ts'
import type { PublishedFrame } from '../frames.ts'
import type { Iteration } from '../iterate.ts'
import type { Publisher } from '../publisher.ts'
import type { Input } from '../resources.ts'
import type { SubscriptionItem } from '../subscription.ts'
import { createOpenQuestions } from './open-questions.ts'
import { advance, closersOf, createSessionOrder, hear, hearEnd, openQuestions } from './session-order.ts'

export interface SessionLineParts {
  readonly id: string
  readonly publisher: Publisher<PublishedFrame>
  /** The inputs to the agent, from the beginning of the session. */
  readonly inputs: Iteration<SubscriptionItem<Input>>
  readonly signal: AbortSignal | undefined
}

/** The events and the inputs of an agent, in the order that a session allows. */
export interface SessionLine {
  /** See AgentSession. */
  readonly signal: AbortSignal
  state(): SessionState
  /** Whether somebody asked the agent to stop. */
  isCancelled(): boolean
  /**
   * Sends events as one frame. Throws before that if the order does not allow them. Resolves when they are
   * durable.
   */
  emit(events: readonly SluiceEvent[]): Promise<void>
  /** Opens a question and resolves with its end. An abort closes it and rejects with the signal's reason. */
  question(opened: QuestionOpen, signal: AbortSignal | undefined): Promise<QuestionClose>
  /** Closes what is open, ends the session, and resolves when all of it is durable. */
  end(event: SessionEnd): Promise<void>
}

export function createSessionLine({ id, publisher, inputs, signal }: SessionLineParts): SessionLine {
  const { controller, release } = followSignal(signal)
  const questions = createOpenQuestions()
  let order = createSessionOrder(id)
  let isCancelled = false

  function emit(events: readonly SluiceEvent[]): Promise<void> {
    const next = advance(order, events)
    order = next.order
    const sent = publisher.send({ events: next.events }).then(() => {})
    sent.catch(() => {}) // flush() reports it to callers that do not await this one
    return sent
  }

  function question(opened: QuestionOpen, given: AbortSignal | undefined): Promise<QuestionClose> {
    const cancelled = cancelledClose(opened.token)
    if (given?.aborted === true) return Promise.reject(given.reason)
    if (isCancelled && order.state.end === undefined) return Promise.resolve(cancelled)
    const failure = questions.failure()
    if (failure !== undefined && order.state.end === undefined) return Promise.reject(failure.error)
    const sent = emit([opened])
    const closed = questions.wait(opened.token)
    sent.catch((error: unknown) => {
      order = hear(order, cancelled)
      questions.abandon(opened.token, error)
    })
    if (given === undefined) return closed
    const abort = (): void => {
      questions.abandon(opened.token, given.reason)
      if (order.state.end === undefined && isOpen(opened.token)) emit([cancelled])
    }
    given.addEventListener('abort', abort)
    return closed.finally(() => given.removeEventListener('abort', abort))
  }

  const isOpen = (token: string) => openQuestions(order.state).some((opened) => opened.token === token)

  function end(event: SessionEnd): Promise<void> {
    const waiting = openQuestions(order.state)
    emit([...closersOf(order.state, event.outcome), event])
    for (const { token } of waiting) questions.settle(cancelledClose(token))
    return finish()
  }

  async function finish(): Promise<void> {
    try {
      await publisher.close()
    } finally {
      release()
      await inputs.return()
    }
  }

  function take(input: Input): void {
    if (input.type === 'cancel') cancel(input.reason)
    if (input.type !== 'answer') return
    const close = toClose(input)
    order = hear(order, close)
    questions.settle(close)
  }

  function cancel(reason: string | undefined): void {
    isCancelled = true
    if (order.state.end !== undefined) return
    const closes = openQuestions(order.state).map(({ token }) => cancelledClose(token))
    if (closes.length > 0) emit(closes)
    for (const close of closes) questions.settle(close)
    controller.abort(new DOMException(reason ?? 'Somebody asked the agent to stop.', 'AbortError'))
  }

  function endedElsewhere(outcome: Outcome): void {
    if (order.state.end !== undefined) return
    const waiting = openQuestions(order.state)
    order = hearEnd(order, { kind: 'session-end', outcome })
    for (const { token } of waiting) questions.settle(cancelledClose(token))
    controller.abort(new SluiceError('session_ended'))
  }

  async function listen(): Promise<void> {
    try {
      for await (const item of inputs) {
        if (item.type === 'frame') take(item.frame)
        else if (item.type === 'end') endedElsewhere(item.outcome)
      }
    } catch (error) {
      questions.breakDown(error)
    }
  }
  void listen()

  return {
    signal: controller.signal,
    state: () => order.state,
    isCancelled: () => isCancelled,
    emit,
    question,
    end,
  }
}

function cancelledClose(token: string): QuestionClose {
  return { kind: 'question-close', token, how: 'cancelled' }
}

function toClose({ token, how = 'answered', decision, response, by }: Extract<Input, { type: 'answer' }>) {
  const close: QuestionClose = omitUndefined({
    kind: 'question-close',
    token,
    how,
    decision,
    response,
    by,
  })
  return close
}
