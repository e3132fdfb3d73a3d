import { isJsonObject, type JsonObject } from '@sluice/protocol'
import type { Evidence } from './check.ts'
import type { ArrivedEvent, Reading, Role, Run, Transcript } from './transcript.ts'

/** The events of one session in one subscription. */
export interface Story {
  readonly where: string
  readonly session: string
  readonly events: readonly ArrivedEvent[]
  readonly hasEnded: boolean
}

export const terminals: ReadonlySet<string> = new Set([
  'aaep:agent.session.completed',
  'aaep:agent.session.errored',
  'aaep:agent.session.cancelled',
])

export const criticals: ReadonlySet<string> = new Set([
  'aaep:agent.session.errored',
  'aaep:agent.awaiting.confirmation',
  'aaep:agent.awaiting.clarification',
  'aaep:agent.handoff.requested',
])

const typeBases = ['https://aaep-protocol.org/types/', 'https://aaep-protocol.org/vocab/v1#']

/** The type in its compact form. */
export function typeOf(event: JsonObject): string {
  const type = textOf(event, 'type')
  for (const base of typeBases) if (type.startsWith(base)) return `aaep:${type.slice(base.length)}`
  return type
}

export function textOf(object: JsonObject | undefined, field: string): string {
  const value = object?.[field]
  return typeof value === 'string' ? value : ''
}

export function objectOf(object: JsonObject | undefined, field: string): JsonObject | undefined {
  const value = object?.[field]
  return isJsonObject(value) ? value : undefined
}

/** Critical by its type or its `urgency`. */
export function isCritical(event: JsonObject): boolean {
  return criticals.has(typeOf(event)) || event['urgency'] === 'critical'
}

export function eventsOf(reading: Reading): readonly ArrivedEvent[] {
  return reading.items.filter((item) => item.kind === 'event')
}

/** Evidence about an event, at the place in it that `pointer` names. */
export function evidenceOn(
  { where, event }: { readonly where: string; readonly event: JsonObject },
  pointer: string,
  detail: string,
): Evidence {
  const id = textOf(event, 'event_id')
  // A malformed id may contain any text.
  return { where, ...(/^evt_[A-Za-z0-9]{1,64}$/.test(id) ? { event: id } : {}), pointer, detail }
}

export function readingsOf(transcript: Transcript): readonly Reading[] {
  return transcript.runs.flatMap((run) => run.readings)
}

/** The subscriptions without limits or filters: they receive the producer's full stream. */
export function mainReadings(transcript: Transcript): readonly Reading[] {
  return readingsOf(transcript).filter(({ role }) => role === 'main' || role === 'twin')
}

export function readingIn(run: Run | undefined, role: Role): Reading | undefined {
  return run?.readings.find((reading) => reading.role === role)
}

export function runOf(transcript: Transcript, purpose: Run['purpose']): Run | undefined {
  return transcript.runs.find((run) => run.purpose === purpose)
}

/** The sessions of a subscription, each with its events in the order of arrival. */
export function storiesOf(reading: Reading): readonly Story[] {
  const sessions = new Map<string, ArrivedEvent[]>()
  for (const arrived of eventsOf(reading)) {
    const session = textOf(arrived.event, 'session_id')
    const events = sessions.get(session)
    if (events === undefined) sessions.set(session, [arrived])
    else events.push(arrived)
  }
  return [...sessions].map(([session, events]) => ({
    where: reading.where,
    session,
    events,
    hasEnded: events.some(({ event }) => terminals.has(typeOf(event))),
  }))
}

/** Whether every session of a subscription has ended; false without a session. */
export function haveEnded(reading: Pick<Reading, 'items'>): boolean {
  const stories = storiesOf({ where: '', role: 'main', ...reading })
  return stories.length > 0 && stories.every(({ hasEnded }) => hasEnded)
}

export function mainStories(transcript: Transcript): readonly Story[] {
  return mainReadings(transcript).flatMap(storiesOf)
}

/** The outputs whose text differs from that in `whole`. */
export function otherTexts(whole: Reading, reading: Reading): readonly Evidence[] {
  const here = textsOf(reading)
  return [...textsOf(whole)]
    .filter(([output, text]) => here.get(output) !== text)
    .map(([output]) => {
      const [name = 'an output'] = /out_[A-Za-z0-9]{1,64}$/.exec(output) ?? []
      return { where: reading.where, detail: `The text of ${name} is another one.` }
    })
}

/** The text of each output of each session, joined. */
export function textsOf(reading: Reading): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { event } of eventsOf(reading)) {
    if (typeOf(event) !== 'aaep:agent.output.streaming') continue
    const key = `${textOf(event, 'session_id')} ${textOf(event, 'output_id')}`
    texts.set(key, (texts.get(key) ?? '') + textOf(event, 'chunk'))
  }
  return texts
}

/**
 * A key that identifies the same event in another subscription, where events may be coalesced and have other
 * ids. Undefined for events that a producer may coalesce or omit.
 */
export function landmarkOf(event: JsonObject): string | undefined {
  const type = typeOf(event)
  const session = textOf(event, 'session_id')
  switch (type) {
    case 'aaep:agent.output.streaming':
    case 'aaep:agent.progress.updated':
    case 'aaep:agent.state.changed':
      return undefined
    case 'aaep:agent.tool.invoked':
    case 'aaep:agent.tool.completed':
      return `${type} ${session} ${textOf(event, 'tool_call_id')} ${textOf(event, 'tool')}`
    default:
      return `${type} ${session} ${textOf(event, 'reply_token')}`
  }
}
