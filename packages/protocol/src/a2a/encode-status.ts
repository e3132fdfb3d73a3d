import type { Message, QuestionOpen, QuestionType, SessionEnd, SluiceEvent } from '../events.ts'
import { timeOf } from '../fold.ts'
import type { JsonObject } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { carriedMeta, toSluice } from './carried.ts'
import type { A2aMessage, A2aPart, A2aStatusUpdate, TaskState } from './model.ts'
import type { Moment, Place } from './moment.ts'
import { fromModelPart } from './parts.ts'
import { safeId } from './safe-id.ts'
import type { A2aView } from './view.ts'

const states = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'canceled',
  rejected: 'rejected',
} as const

/** The status for an event that A2A has no object for. */
export function encodeStatus(moment: Moment, event: SluiceEvent): A2aStatusUpdate {
  const { view, place } = moment
  const text = textFor(event)
  const message = text === undefined ? undefined : agentMessage(view, place, [{ type: 'text', text }])
  const status = { state: stateOf(view), message, timestamp: timestampOf(event, moment) }
  return statusUpdate(view, status, withoutTime(toSluice(event)))
}

/**
 * A message inside a task. Only in a stream without a task may a message be an event by itself (A2A 1.0
 * §3.1.2).
 */
export function encodeMessage(moment: Moment, event: Message): A2aStatusUpdate {
  const { view } = moment
  const meta = carriedMeta(event.meta)
  const message = toA2aMessage(moment, event)
  const status = { state: stateOf(view), message, timestamp: timestampOf(event, moment) }
  return statusUpdate(view, status, withoutTime(omitUndefined({ message: true, meta })))
}

export function toA2aMessage(
  { view, place, dialects }: Pick<Moment, 'view' | 'place' | 'dialects'>,
  event: Message,
): A2aMessage {
  const parts = event.parts.map((part) => fromModelPart(part, dialects))
  return {
    messageId: safeId(event.id) || mintedId(place),
    role: event.role,
    parts: parts.length === 0 ? [{ type: 'text', text: '' }] : parts,
    taskId: view.task,
    contextId: view.context,
  }
}

export function encodeQuestion(moment: Moment, event: QuestionOpen): A2aStatusUpdate {
  const { view, place } = moment
  const state = stateOf(view)
  const message = agentMessage(view, place, questionParts(event))
  const status = { state, message, timestamp: timestampOf(event, moment) }
  const update = statusUpdate(view, status, withoutTime(toSluice(event)))
  return { ...update, final: state === 'input-required' }
}

/** The question as text for people, and as data for programs that answer it. */
export function questionParts(event: QuestionOpen): readonly A2aPart[] {
  const { question, token, allowed, choices, consequence } = event
  const texts = consequence === undefined ? [event.text] : [event.text, consequence]
  return [
    ...texts.map((text): A2aPart => ({ type: 'text', text: text.toWellFormed() })),
    {
      type: 'data',
      data: omitUndefined({
        question,
        token: safeId(token),
        allowed,
        choices: choices === undefined ? undefined : choices.map(({ value, label }) => ({ value, label })),
      }),
    },
  ]
}

export function encodeEndOfSession(moment: Moment, event: SessionEnd): A2aStatusUpdate {
  const { view, place } = moment
  const { error, by, claimedBy, durationMs } = event
  const text = error?.message
  const message =
    text === undefined ? undefined : agentMessage(view, place, [{ type: 'text', text: text.toWellFormed() }])
  const sluice = withoutTime(toSluice(event))
  const isPlain = [error, by, claimedBy, durationMs, sluice['meta']].every((value) => value === undefined)
  const status = { state: states[event.outcome], message, timestamp: timestampOf(event, moment) }
  return { ...statusUpdate(view, status, isPlain ? undefined : sluice), final: true }
}

interface NewStatus {
  readonly state: TaskState
  readonly message: A2aMessage | undefined
  readonly timestamp: string
}

function statusUpdate(view: A2aView, status: NewStatus, sluice: JsonObject | undefined): A2aStatusUpdate {
  return omitUndefined({
    type: 'status-update',
    taskId: view.task,
    contextId: view.context,
    status: omitUndefined(status),
    final: false,
    metadata: sluice === undefined ? undefined : { sluice },
  })
}

/** A task waits while a question is open, whatever else happens. */
export function stateOf({ questions }: Pick<A2aView, 'questions'>): TaskState {
  return waitingState(questions.length > 0, questions.some(needsInput))
}

/** For a task with open questions, or with one that needs input, or without either. */
export function waitingState(isWaiting: boolean, hasInput: boolean): TaskState {
  if (!isWaiting) return 'working'
  return hasInput ? 'input-required' : 'auth-required'
}

export function needsInput({ question }: { readonly question: QuestionType }): boolean {
  return question !== 'authorization'
}

export function terminalState(outcome: SessionEnd['outcome']): TaskState {
  return states[outcome]
}

export function agentMessage(view: A2aView, place: Place, parts: readonly A2aPart[]): A2aMessage {
  return { messageId: mintedId(place), role: 'agent', parts, taskId: view.task, contextId: view.context }
}

function mintedId({ seq, unit }: Place): string {
  return `msg.${seq}.${unit}`
}

/** The text of an event for people. */
export function textFor(event: SluiceEvent): string | undefined {
  const text = wordsOf(event) ?? event.meta?.summaries?.normal
  return text === undefined || text === '' ? undefined : text.toWellFormed()
}

function wordsOf(event: SluiceEvent): string | undefined {
  if (event.kind === 'notice' || event.kind === 'progress') return event.text
  return event.kind === 'handoff' ? event.reason : undefined
}

/** Removes the time, which the status has. */
export function withoutTime(sluice: JsonObject): JsonObject {
  const { meta } = sluice
  if (typeof meta !== 'object' || meta === null || !('at' in meta)) return sluice
  const { at: _at, ...rest } = meta as JsonObject // carriedMeta() returns an object
  const { meta: _meta, ...event } = sluice
  return Object.keys(rest).length === 0 ? event : { ...event, meta: rest }
}

const utcPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const lastTime = Date.UTC(9999, 11, 31)

/** The time of an event, in UTC. */
export function timestampOf(event: SluiceEvent, entry: { readonly at: number }): string {
  const at = event.meta?.at
  if (at !== undefined && utcPattern.test(at) && !Number.isNaN(Date.parse(at))) return at
  return formatTime(timeOf(event, entry))
}

export function formatTime(time: number): string {
  return new Date(Math.min(Math.max(0, time), lastTime)).toISOString()
}
