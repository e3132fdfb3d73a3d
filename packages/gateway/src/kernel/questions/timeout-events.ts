import {
  type Meta,
  type Progress,
  type QuestionClose,
  type QuestionOpen,
  type SessionState,
  type SluiceEvent,
  tableGet,
  tablePick,
} from '@sluice/protocol'
import { withSafeDefault } from '@sluice/protocol/dialects'
import { agentTokenOf, closeNotes, withNotes } from './question-notes.ts'

/** The open question with this token. */
function openQuestionOf(state: SessionState, token: string): QuestionOpen | undefined {
  const question = tableGet(state.questions, token)
  return question?.closed === undefined ? question?.opened : undefined
}

/**
 * What happens when the time of a question is over: its default applies, if it has one. A question without a
 * timeout is closed without a decision and asked again under `nextToken`; without that, it is only closed.
 * Undefined when the question is no longer open.
 */
export function timeoutEvents(
  state: SessionState,
  token: string,
  nextToken: string | undefined,
): readonly SluiceEvent[] | undefined {
  const opened = openQuestionOf(state, token)
  if (opened === undefined) return undefined
  if (opened.timeoutMs !== undefined) return [closeByDefault(opened)]
  const closed: QuestionClose = { kind: 'question-close', token, how: 'timeout' }
  if (nextToken === undefined) return [closed]
  return [{ ...closed, meta: withNotes(undefined, { again: nextToken }) }, askedAgain(opened, nextToken)]
}

/** Closes the confirmations that nobody can answer any longer and that are rejected by default. */
export function rejectionEvents(
  state: SessionState,
  isOurs: (token: string) => boolean,
): readonly SluiceEvent[] | undefined {
  const events = tablePick(state.questions, state.open.questions)
    .filter(({ opened }) => isOurs(opened.token))
    .filter(({ opened }) => opened.question === 'confirmation' && safeDefaultOf(opened) === 'reject')
    .map(({ opened }) => closeByDefault(opened))
  return events.length === 0 ? undefined : events
}

/** The notice of the time left to answer. Undefined when the question is no longer open. */
export function countdownEvents(
  state: SessionState,
  token: string,
  leftMs: number,
): readonly SluiceEvent[] | undefined {
  if (openQuestionOf(state, token) === undefined) return undefined
  const notice: Progress = {
    kind: 'progress',
    text: sayLeft(leftMs),
    etaMs: leftMs,
    meta: withNotes({ urgency: 'normal' }, { countdown: token, leftMs }),
  }
  return [notice]
}

function closeByDefault(opened: QuestionOpen): QuestionClose {
  const { token } = opened
  const notes = closeNotes(opened)
  return {
    kind: 'question-close',
    token,
    how: 'timeout',
    ...outcomeOf(opened),
    ...(Object.keys(notes).length === 0 ? {} : { meta: withNotes(undefined, notes) }),
  }
}

function outcomeOf(opened: QuestionOpen): Pick<QuestionClose, 'decision' | 'response'> {
  const byDefault = safeDefaultOf(opened)
  if (byDefault === undefined) return {}
  return opened.question === 'clarification' ? { response: byDefault } : { decision: byDefault }
}

function safeDefaultOf(opened: QuestionOpen): string | undefined {
  return withSafeDefault(opened).default
}

/**
 * The same question under another token. It is a separate event, so the id and time of the first one are left
 * out.
 */
function askedAgain(opened: QuestionOpen, token: string): QuestionOpen {
  const { id: _id, at: _at, implied: _implied, ...meta }: Meta = opened.meta ?? {}
  return { ...opened, token, meta: withNotes(meta, { again: agentTokenOf(opened) }) }
}

function sayLeft(leftMs: number): string {
  const seconds = Math.max(1, Math.round(leftMs / 1000))
  if (seconds < 120) return `${count(seconds, 'second')} left to answer.`
  const minutes = Math.round(seconds / 60)
  return `${minutes < 120 ? count(minutes, 'minute') : count(Math.round(minutes / 60), 'hour')} left to answer.`
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
