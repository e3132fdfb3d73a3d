import type { EventKind, SessionStart, SluiceEvent } from '../events.ts'
import type { JsonValue } from '../json.ts'
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

/** The start of a session, with how it stands. */
type CarriedStart = SessionStart & { readonly stand?: JsonValue }

/** A task begins the session, or is the session as it stands, to be compared with what is known of it. */
export function decodeTask(reading: Reading, task: A2aTask): void {
  const sluice = sluiceOf(task.metadata)
  const start = fromSluice(sluice, starts)
  const request = requestOf(task, start !== undefined)
  if (!reading.session.started) {
    const asked = request === undefined ? {} : { request: textOf(request.parts) }
    const at = task.status.timestamp === undefined ? {} : { at: task.status.timestamp }
    const meta = { ...at, ...start?.meta, ...at }
    const carried = (start ?? { kind: 'session-start' }) as CarriedStart // `starts` holds no other kind
    // The request has a place in the history, and the stand is read below.
    const { request: claimed, stand: _stand, ...own } = carried
    if (claimed !== undefined && claimed !== asked.request)
      find(reading, a2aRules.carriedContradicts, '/metadata/sluice/request')
    reading.events.push({
      ...own,
      ...asked,
      ...(Object.keys(meta).length === 0 ? {} : { meta }),
    })
  }
  for (const message of task.history ?? []) {
    if (message === request || isTold(reading, message)) continue
    reading.told.push(message.messageId)
    reading.events.push(toMessage(reading, message, {}))
  }
  for (const artifact of task.artifacts ?? []) decodeTaskArtifact(reading, artifact)
  if (start === undefined) decodeTaskStatus(reading, task)
  else decodeStand(reading, task, sluice?.['stand'])
}

/** What the session was started for: the user's first message, where it is text alone. Our own tasks mark it. */
function requestOf(task: A2aTask, isOurs: boolean): A2aMessage | undefined {
  const first = task.history?.[0]
  if (first === undefined || first.role !== 'user') return undefined
  if (isOurs && sluiceOf(first.metadata)?.['request'] !== true) return undefined
  return first.parts.every((part) => part.type === 'text') ? first : undefined
}

function isTold(reading: Reading, message: A2aMessage): boolean {
  const id = message.messageId
  return (
    reading.told.includes(id) ||
    reading.state.told.includes(id) ||
    reading.session.messages.some((known) => known.id === id)
  )
}

function decodeTaskStatus(reading: Reading, task: A2aTask): void {
  if (task.status.state === 'submitted' && task.status.message === undefined) return
  const events: SluiceEvent[] = []
  decodeStatus({ ...reading, events }, task.status, undefined)
  // A task that is sent again says nothing new by repeating the state and the remark that came with it.
  const isRepeated = reading.session.started
  for (const event of events)
    if (!isRepeated || (event.kind !== 'state-change' && event.kind !== 'notice' && event.kind !== 'message'))
      reading.events.push(event)
}

/** How a session stands, where this is a task that we made: its questions, and its end. */
function decodeStand(reading: Reading, task: A2aTask, stand: JsonValue | undefined): void {
  const { status } = task
  if (!Array.isArray(stand)) {
    // The task at the start of a session says no more than that.
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
  switch (event.kind) {
    case 'question-open':
      return tableGet(session.questions, event.token) === undefined
    case 'question-close':
      return tableGet(session.questions, event.token)?.closed === undefined
    case 'session-end':
      return true
    case 'state-change':
      return session.status !== event.to
    default:
      return !session.started
  }
}
