import type {
  Encoder,
  Entry,
  Input,
  Message,
  Part,
  QuestionClose,
  QuestionOpen,
  ResponseKind,
  SessionState,
  SluiceEvent,
} from '@sluice/protocol'
import { type AnswerVia, closeNotes, notesOf, withNotes } from '../questions/question-notes.ts'
import { questionOf } from '../questions/unique-tokens.ts'

export interface Answer {
  readonly token: string
  readonly decision?: string
  readonly response?: string | number | boolean
}

/** The code of the notice with which a cancel stands in the log, and its text where none was given. */
const cancelCode = 'cancel_requested'
const noReason = 'The session was asked to stop.'

/** Why an answer closes no question; `repeated`: the same caller has given the same answer before. */
export type UnfitAnswer = 'unknown_token' | 'closed' | 'ill_typed' | 'repeated'

/**
 * The event of an answer, or why it is none: its question is not open, or asks for something else. The token is the
 * question's own or its agent's.
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
  return {
    kind: 'question-close',
    token: question.opened.token,
    how: 'answered',
    by,
    ...(decision === undefined ? {} : { decision }),
    ...(response === undefined ? {} : { response }),
    meta: withNotes(undefined, closeNotes(question.opened, via)),
  }
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

/** Reads a session as the inputs of its agent. */
export const inputsEncoder: Encoder<undefined> = {
  enter: () => ({ state: undefined, frames: [] }),
  step: (_state, entry) => {
    const data = toInputs(entry).map((input) => JSON.stringify(input))
    return { state: undefined, frames: data.map((text) => ({ data: text, cursor: { seq: entry.seq } })) }
  },
}

/** What an entry says to the agent; nothing when it is the agent's own. */
export function toInputs(entry: Entry): readonly Input[] {
  const { seq, at, direction } = entry
  if (direction === 'event') return []
  const head = { seq, at, ...(entry.source.subject === undefined ? {} : { by: entry.source.subject }) }
  return entry.events.flatMap((event): readonly Input[] => {
    if (event.kind === 'question-close') return toAnswers(event).map((answer) => ({ ...head, ...answer }))
    // Of what the gateway does by itself, only the outcome of a question concerns the agent.
    if (direction === 'system') return []
    if (event.kind === 'message') return [{ ...head, type: 'message', id: event.id, parts: event.parts }]
    if (event.kind === 'notice' && event.code === cancelCode)
      return [{ ...head, type: 'cancel', ...(event.text === noReason ? {} : { reason: event.text }) }]
    return []
  })
}

/** The outcome of a question. One that is cancelled has none, and one that is asked again has none yet. */
function toAnswers(event: QuestionClose) {
  const { how, decision, response } = event
  const { token: own, again } = notesOf(event)
  if (how === 'cancelled' || again !== undefined) return []
  const answer = {
    type: 'answer',
    token: typeof own === 'string' ? own : event.token,
    how,
    ...(decision === undefined ? {} : { decision }),
    ...(response === undefined ? {} : { response }),
  } as const
  return [answer]
}
