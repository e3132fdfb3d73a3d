import type { EventKind, SessionStart, SluiceEvent } from '../events.ts'
import type { JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { isEvent } from '../schemas/event-check.ts'
import type { SessionState } from '../session-state.ts'
import { tableGet } from '../table.ts'
import { agreesWithStand } from './agrees-with-status.ts'
import { fromSluice, sluiceOf } from './carried.ts'
import { decodeStatus, toMessage } from './decode-status.ts'
import { decodeTaskArtifact } from './decode-task-artifact.ts'
import { type A2aMessage, type A2aTask, textOf } from './model.ts'
import { find, type Reading } from './reading.ts'
import { a2aRules } from './rules.ts'

const starts: ReadonlySet<EventKind> = new Set(['session-start'] as const)

/** The start of a session, with the session's current state. */
type CarriedStart = SessionStart & { readonly stand?: JsonValue }

/** A task starts the session, or gives its current state, of which only the missing parts become events. */
export function decodeTask(reading: Reading, task: A2aTask): void {
  const sluice = sluiceOf(task.metadata)
  const start = fromSluice(sluice, starts)
  const request = requestOf(task, start !== undefined)
  if (!reading.session.started) {
    const asked = omitUndefined({ request: request === undefined ? undefined : textOf(request.parts) })
    const at = omitUndefined({ at: task.status.timestamp })
    const meta = { ...at, ...start?.meta, ...at }
    const carried = (start ?? { kind: 'session-start' }) as CarriedStart // `starts` holds no other kind
    // The history holds the request, and the stand is read below.
    const { request: claimed, stand: _stand, ...own } = carried
    if (claimed !== undefined && claimed !== asked.request)
      find(reading, a2aRules.carriedContradicts, '/metadata/sluice/request')
    reading.events.push({
      ...own,
      ...asked,
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    })
  }
  const told = new Set([...reading.state.told, ...reading.session.messages.map(({ id }) => id)])
  for (const message of task.history ?? []) {
    if (message === request || told.has(message.messageId)) continue
    told.add(message.messageId)
    reading.told.push(message.messageId)
    reading.events.push(toMessage(reading, message, {}))
  }
  for (const artifact of task.artifacts ?? []) decodeTaskArtifact(reading, artifact)
  if (start === undefined) decodeTaskStatus(reading, task)
  else decodeStand(reading, task, sluice?.['stand'])
}

/**
 * The request that started the session: the user's first message, if it is only text. Our own tasks mark it.
 */
function requestOf(task: A2aTask, isOurs: boolean): A2aMessage | undefined {
  const first = task.history?.[0]
  if (first === undefined || first.role !== 'user') return undefined
  if (isOurs && sluiceOf(first.metadata)?.['request'] !== true) return undefined
  return first.parts.every((part) => part.type === 'text') ? first : undefined
}

function decodeTaskStatus(reading: Reading, task: A2aTask): void {
  if (task.status.state === 'submitted' && task.status.message === undefined) return
  const events: SluiceEvent[] = []
  decodeStatus({ ...reading, events }, task.status, undefined)
  // A task that is sent again repeats its state and the remark that came with it, which says nothing new.
  const isRepeated = reading.session.started
  for (const event of events)
    if (!isRepeated || (event.kind !== 'state-change' && event.kind !== 'notice' && event.kind !== 'message'))
      reading.events.push(event)
}

/**
 * Adds the events that a task written by Sluice carries and the session lacks. If its `stand` contradicts the
 * status, the status is read instead.
 */
function decodeStand(reading: Reading, task: A2aTask, stand: JsonValue | undefined): void {
  const { status } = task
  if (!Array.isArray(stand)) {
    // The task at the start of a session has no stand, and its plain status adds nothing.
    if (status.state !== 'working' || status.message !== undefined) decodeTaskStatus(reading, task)
    return
  }
  const events = stand.filter((event): event is SluiceEvent => isEvent(event) && standing.has(event.kind))
  if (!agreesWithStand(events, status)) {
    find(reading, a2aRules.carriedContradicts, '/metadata/sluice/stand')
    decodeTaskStatus(reading, task)
    return
  }
  for (const event of events) {
    const { meta: _meta, ...bare } = event
    if (isMissing(reading.session, event)) reading.events.push(bare as SluiceEvent) // an event needs no meta
    if (event.kind === 'session-end') return
  }
}

const standing: ReadonlySet<EventKind> = new Set([
  'state-change',
  'progress',
  'usage',
  'question-open',
  'question-close',
  'session-end',
] as const)

function isMissing(session: SessionState, event: SluiceEvent): boolean {
  if (event.kind === 'question-open') return tableGet(session.questions, event.token) === undefined
  if (event.kind === 'question-close') return tableGet(session.questions, event.token)?.closed === undefined
  if (event.kind === 'session-end') return true
  if (event.kind === 'state-change') return session.status !== event.to
  return !session.started
}
