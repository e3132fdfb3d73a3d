import type { QuestionOpen, SluiceEvent } from '../events.ts'
import { isSameJson, type JsonValue } from '../json.ts'
import type { SessionState } from '../session-state.ts'
import { tableSome } from '../table.ts'
import { needsInput, questionParts, stateOf, terminalState, textFor, waitingState } from './encode-status.ts'
import type { A2aMessage, A2aPart, A2aStatus } from './model.ts'

/** Whether the state and the message of `status` are the ones that A2A has for `event`, which it carries. */
export function agreesWithStatus(event: SluiceEvent, status: A2aStatus, session: SessionState): boolean {
  const state = event.kind === 'session-end' ? terminalState(event.outcome) : stateAfter(event, session)
  if (status.state !== state) return false
  // The decoder reads a message of the session from the status itself.
  return event.kind === 'message' || isMessage(status.message, partsOf(event))
}

/** Whether a task in the state that `events` describe has this status. */
export function agreesWithStand(events: readonly SluiceEvent[], status: A2aStatus): boolean {
  const questions = new Map<string, QuestionOpen>()
  for (const event of events) {
    if (event.kind === 'question-open') questions.set(event.token, event)
    else if (event.kind === 'question-close') questions.delete(event.token)
  }
  const open = [...questions.values()]
  const end = events.find((event) => event.kind === 'session-end')
  const asked = open.at(-1)
  const told = end?.error?.message === undefined ? asked : end
  return (
    status.state === (end === undefined ? stateOf({ questions: open }) : terminalState(end.outcome)) &&
    isMessage(status.message, told === undefined ? undefined : partsOf(told))
  )
}

function stateAfter(event: SluiceEvent, session: SessionState): A2aStatus['state'] {
  if (event.kind === 'question-open' && needsInput(event)) return 'input-required'
  const closed = event.kind === 'question-close' ? event.token : undefined
  const { questions, open } = session
  const isWaiting = event.kind === 'question-open' || open.questions.some((token) => token !== closed)
  const hasInput = tableSome(
    questions,
    open.questions,
    ({ opened }) => needsInput(opened) && opened.token !== closed,
  )
  return waitingState(isWaiting, hasInput)
}

function partsOf(event: SluiceEvent): readonly A2aPart[] | undefined {
  if (event.kind === 'question-open') return questionParts(event)
  const text = event.kind === 'session-end' ? event.error?.message?.toWellFormed() : textFor(event)
  return text === undefined ? undefined : [{ type: 'text', text }]
}

function isMessage(message: A2aMessage | undefined, parts: readonly A2aPart[] | undefined): boolean {
  if (message === undefined || parts === undefined) return message === parts
  return (
    message.role === 'agent' &&
    message.parts.length === parts.length &&
    parts.every((part, index) => isSamePart(part, message.parts[index]))
  )
}

function isSamePart(part: A2aPart, other: A2aPart | undefined): boolean {
  return part.type === other?.type && isSameJson(contentOf(part), contentOf(other))
}

function contentOf(part: A2aPart): JsonValue | undefined {
  if (part.type === 'text') return part.text
  return part.type === 'data' ? part.data : undefined
}
