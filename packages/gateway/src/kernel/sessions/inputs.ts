import {
  type Encoder,
  type Entry,
  type Input,
  type Message,
  omitUndefined,
  type Part,
  type QuestionClose,
  type QuestionOpen,
  type ResponseKind,
  type SessionState,
  type SluiceEvent,
  toFrames,
} from '@sluice/protocol'
import { type AnswerVia, closeNotes, notesOf, withNotes } from '../questions/question-notes.ts'
import { questionOf } from '../questions/unique-tokens.ts'

export interface Answer {
  readonly token: string
  readonly decision?: string
  readonly response?: string | number | boolean
}

/** The code of the notice that records a cancel in the log, and its text if no reason was given. */
const cancelCode = 'cancel_requested'
const noReason = 'The session was asked to stop.'

/** Why an answer closes no question; `repeated`: the same caller gave the same answer before. */
export type UnfitAnswer = 'unknown_token' | 'closed' | 'ill_typed' | 'repeated'

/**
 * The event of an answer, or why it does not fit: its question is not open, or asks for something else. The
 * token is the question's own or its agent's.
 */
export function answerEvent(
  state: SessionState,
  answer: Answer,
  { by, via }: { readonly by: string; readonly via: AnswerVia },
): QuestionClose | UnfitAnswer {
  const question = questionOf(state, answer.token)
  if (question === undefined) return 'unknown_token'
  if (question.closed !== undefined && isSame(question.closed, answer, by)) return 'repeated'
  if (question.closed !== undefined || state.end !== undefined) return 'closed'
  if (!fits(question.opened, answer)) return 'ill_typed'
  const { decision, response } = answer
  return omitUndefined({
    kind: 'question-close',
    token: question.opened.token,
    how: 'answered',
    by,
    decision,
    response,
    meta: withNotes(undefined, closeNotes(question.opened, via)),
  })
}

function isSame(closed: QuestionClose, { decision, response }: Answer, by: string): boolean {
  return closed.by === by && closed.decision === decision && closed.response === response
}

const usualDecisions: readonly string[] = ['accept', 'reject']

function fits(question: QuestionOpen, { decision, response }: Answer): boolean {
  if (question.question !== 'clarification')
    return (
      decision !== undefined &&
      response === undefined &&
      (question.allowed ?? usualDecisions).includes(decision)
    )
  if (response === undefined || decision !== undefined) return false
  const { kinds } = question
  return kinds === undefined || kinds.some((kind) => isOfKind(kind, response, question))
}

function isOfKind(
  kind: ResponseKind,
  response: string | number | boolean,
  { choices }: QuestionOpen,
): boolean {
  switch (kind) {
    case 'freetext':
      return typeof response === 'string'
    case 'yes_no':
      return typeof response === 'boolean' || response === 'yes' || response === 'no'
    case 'multiple_choice':
      return choices?.some(({ value }) => value === response) ?? typeof response === 'string'
    case 'numeric':
      return typeof response === 'number'
  }
}

export function cancelEvents(reason: string | undefined): readonly SluiceEvent[] {
  const text = reason ?? noReason
  return [{ kind: 'notice', level: 'info', code: cancelCode, text }]
}

export function messageEvents(id: string, parts: readonly Part[]): readonly SluiceEvent[] {
  return [{ kind: 'message', id, role: 'user', parts } satisfies Message]
}

/** The name of the view of an agent's inputs. */
export const inputsName = 'inputs'

/** Encodes a session as the inputs of its agent. */
export const inputsEncoder: Encoder<undefined> = {
  enter: () => ({ state: undefined, frames: [] }),
  step: (state, entry, part) => {
    const drafts = entry.events.flatMap((event, index) => {
      const value = toInput(entry, event)
      return value === undefined ? [] : [{ value, events: index + 1 }]
    })
    const frames = toFrames({ dialect: inputsName, entry, part, drafts }, (value) => ({
      data: JSON.stringify(value),
    }))
    return { state, frames }
  },
}

/** The inputs in an entry; none in an entry of the agent itself. */
export function toInputs(entry: Entry): readonly Input[] {
  return entry.events.flatMap((event) => toInput(entry, event) ?? [])
}

function toInput({ seq, at, direction, source }: Entry, event: SluiceEvent): Input | undefined {
  if (direction === 'event') return undefined
  const head = omitUndefined({ seq, at, by: source.subject })
  if (event.kind === 'question-close') {
    const answer = toAnswer(event)
    return answer && { ...head, ...answer }
  }
  // Of the gateway's own events, only the outcome of a question concerns the agent.
  if (direction === 'system') return undefined
  if (event.kind === 'message') return { ...head, type: 'message', id: event.id, parts: event.parts }
  if (event.kind === 'notice' && event.code === cancelCode)
    return { ...head, type: 'cancel', ...(event.text === noReason ? {} : { reason: event.text }) }
  return undefined
}

/** The outcome of a question. A cancelled question has none, and one that is asked again has none yet. */
function toAnswer(event: QuestionClose) {
  const { how, decision, response } = event
  const { token: own, again } = notesOf(event)
  if (how === 'cancelled' || again !== undefined) return undefined
  return {
    type: 'answer',
    token: typeof own === 'string' ? own : event.token,
    how,
    ...omitUndefined({ decision, response }),
  } as const
}
