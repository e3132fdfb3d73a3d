import { fromCarried } from '../../carry.ts'
import type { EventKind, SluiceEvent } from '../../events.ts'
import { breach } from '../../finding.ts'
import type { JsonValue } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { tableGet } from '../../table.ts'
import { agreesWithFrame } from './agrees-with-frame.ts'
import { isText, type Reading } from './reading.ts'
import { aaepRules } from './rules.ts'

/**
 * The event that a frame of our own extension carries, if it is of this kind. Such a frame says nothing else.
 */
export function readCarriedEvent(reading: Reading, kind: EventKind): SluiceEvent | undefined {
  const found = findEvent(reading)
  if (found?.event.kind !== kind) return undefined
  take(reading, found)
  return found.event
}

/**
 * The event that a core frame carries, if it is of one of these kinds and says what the frame says. Otherwise
 * adds a finding: the frame's own fields count, and the carried event stays in `meta.ext`.
 */
export function readAgreedEvent<K extends EventKind>(
  reading: Reading,
  ...kinds: readonly K[]
): Extract<SluiceEvent, { kind: K }> | undefined {
  const found = reading.carried === undefined ? undefined : findEvent(reading)
  if (found === undefined) return undefined
  const { event, key } = found
  if (isOneOf(event, kinds) && agreesWithFrame(event, reading)) {
    take(reading, found)
    return event
  }
  reading.findings.push(breach(aaepRules.carriedContradicts, `/extensions/sluice/${key}`))
  return undefined
}

interface Found {
  readonly key: 'event' | 'eventJson'
  readonly event: SluiceEvent
}

function findEvent({ carried, session }: Reading): Found | undefined {
  if (carried === undefined) return undefined
  const { event: written, eventJson: json } = carried
  const key = written === undefined ? 'eventJson' : 'event'
  const event = fromCarried(written === undefined && isText(json) ? parse(json) : written)
  if (event === undefined || event.meta !== undefined || !hasPlace(event, session)) return undefined
  return { key, event }
}

function take({ carried }: Reading, { key }: Found): void {
  if (carried !== undefined) delete carried[key]
}

function isOneOf<K extends EventKind>(
  event: SluiceEvent,
  kinds: readonly K[],
): event is Extract<SluiceEvent, { kind: K }> {
  return kinds.some((kind) => kind === event.kind)
}

/** Whether the event ends something that is open: an end of nothing would leave no trace of its frame. */
function hasPlace(event: SluiceEvent, session: SessionState): boolean {
  if (event.kind === 'text-end') return tableGet(session.outputs, event.output)?.open === true
  if (event.kind !== 'question-close') return true
  const question = tableGet(session.questions, event.token)
  return question !== undefined && question.closed === undefined
}

function parse(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json) as JsonValue // JSON.parse returns nothing else
  } catch {
    return undefined
  }
}
