import type { EventKind, Meta, Outcome, QuestionType, SluiceEvent } from '../events.ts'
import type { JsonObject } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { hashHex } from '../session-id.ts'
import { tableSome } from '../table.ts'
import { agreesWithStatus } from './agrees-with-status.ts'
import { fromSluice, sluiceOf } from './carried.ts'
import { type A2aMessage, type A2aStatus, isTerminal, type TaskState, textOf } from './model.ts'
import { toModelPart } from './parts.ts'
import { find, type Reading } from './reading.ts'
import { a2aRules } from './rules.ts'

const going: ReadonlySet<EventKind> = new Set([
  'state-change',
  'progress',
  'message',
  'question-open',
  'question-close',
  'handoff',
  'notice',
  'usage',
] as const)
const ending: ReadonlySet<EventKind> = new Set(['session-end'] as const)

const outcomes: Partial<Record<TaskState, Outcome>> = {
  completed: 'completed',
  failed: 'failed',
  canceled: 'cancelled',
  rejected: 'rejected',
}

/** Decodes a status: what its `metadata.sluice` carries, or what its state and message say. */
export function decodeStatus(reading: Reading, status: A2aStatus, metadata: JsonObject | undefined): void {
  const at = status.timestamp
  const ends = isTerminal(status.state)
  const sluice = sluiceOf(metadata)
  const carried = fromSluice(carriedMessage(reading, status, sluice) ?? sluice, ends ? ending : going)
  if (carried !== undefined && agreesWithStatus(carried, status, reading.session)) {
    const { at: _at, ...meta } = carried.meta ?? {}
    reading.events.push(at === undefined ? carried : { ...carried, meta: { at, ...meta } })
    return
  }
  if (carried !== undefined) find(reading, a2aRules.carriedContradicts, '/metadata/sluice')
  const meta = omitUndefined({ meta: at === undefined ? undefined : { at } })
  if (ends) decodeEnd(reading, status, meta)
  else if (status.state === 'input-required' || status.state === 'auth-required')
    decodeQuestion(reading, status, meta)
  else decodeGoing(reading, status, meta)
}

/** A message of the session that came as a status because it may not come alone. */
function carriedMessage(
  reading: Reading,
  status: A2aStatus,
  sluice: JsonObject | undefined,
): JsonObject | undefined {
  if (sluice?.['message'] !== true || status.message === undefined) return undefined
  const { meta } = sluice
  const message = toMessage(reading, status.message, {})
  return { ...message, ...omitUndefined({ meta }) } as unknown as JsonObject // an event is plain JSON
}

function decodeGoing(reading: Reading, status: A2aStatus, meta: { meta?: Meta }): void {
  const { session } = reading
  const open = session.open.questions
  if (status.state === 'working' && open.length > 0) {
    for (const token of open) reading.events.push({ kind: 'question-close', token, how: 'answered', ...meta })
  } else reading.events.push({ kind: 'state-change', to: nameOf(status), ...meta })
  if (status.message !== undefined) tell(reading, status.message, meta)
}

/** The agent's activity, in the words of the model. */
function nameOf({ state, stateName }: A2aStatus): string {
  if (stateName !== undefined) return stateName
  if (state === 'working') return 'thinking'
  return state === 'submitted' ? 'idle' : state
}

function decodeQuestion(reading: Reading, status: A2aStatus, meta: { meta?: Meta }): void {
  const { session, events } = reading
  const question = status.state === 'auth-required' ? 'authorization' : 'clarification'
  const text = (status.message === undefined ? '' : textOf(status.message.parts)) || standIn(question)
  const isOpen = tableSome(
    session.questions,
    session.open.questions,
    ({ opened }) => opened.question === question && opened.text === text,
  )
  if (isOpen) events.push({ kind: 'state-change', to: 'awaiting_input', ...meta })
  else {
    const token = `q_${hashHex(`${session.foreign ?? session.id}\0${session.questions.next}`, 16)}`
    events.push({ kind: 'question-open', question, token, text, ...meta })
  }
  if (status.message !== undefined && hasMoreThanText(status.message))
    events.push(toMessage(reading, status.message, meta))
}

/** A person must be asked something, and the task alone does not say what. */
function standIn(question: QuestionType): string {
  return question === 'authorization' ? 'The agent needs an authorization.' : 'The agent needs your input.'
}

function decodeEnd(reading: Reading, status: A2aStatus, meta: { meta?: Meta }): void {
  const outcome = outcomes[status.state] ?? 'failed'
  const { message } = status
  if (message === undefined) {
    reading.events.push({ kind: 'session-end', outcome, ...meta })
    return
  }
  const isError = outcome === 'failed' || outcome === 'rejected'
  if (!isError || hasMoreThanText(message)) reading.events.push(toMessage(reading, message, meta))
  const error = isError ? { error: { message: textOf(message.parts).toWellFormed() } } : {}
  reading.events.push({ kind: 'session-end', outcome, ...error, ...meta })
}

/** The message of a task at work: a notice if the agent sends only text. */
function tell(reading: Reading, message: A2aMessage, meta: { meta?: Meta }): void {
  const isRemark = message.role === 'agent' && !hasMoreThanText(message)
  reading.events.push(
    isRemark
      ? { kind: 'notice', level: 'info', text: textOf(message.parts), ...meta }
      : toMessage(reading, message, meta),
  )
}

function hasMoreThanText(message: A2aMessage): boolean {
  return message.parts.some((part) => part.type !== 'text')
}

export function toMessage(reading: Reading, message: A2aMessage, meta: { meta?: Meta }): SluiceEvent {
  return {
    kind: 'message',
    id: message.messageId,
    role: message.role,
    parts: message.parts.map((part) => toModelPart(part, reading.dialect)),
    ...meta,
  }
}
