import { fromCarried } from '../../carry.ts'
import type { EventKind, SessionError, SluiceEvent } from '../../events.ts'
import type { JsonValue } from '../../json.ts'
import type { SessionState } from '../../session-state.ts'
import { tableGet } from '../../table.ts'
import { isText, keepField, type Reading, takeCarried, takeInvented } from './reading.ts'
import type { WireEvent } from './wire/events.ts'

export function readStarted(
  reading: Reading,
  wire: WireEvent<'agent.session.started'>,
): readonly SluiceEvent[] {
  const { request_text, tools_available } = wire
  const carried = readCarriedEvent(reading, ['session-start'])
  const whole = carried?.kind === 'session-start' ? carried : undefined
  return [
    {
      ...(whole ?? {
        kind: 'session-start',
        ...(tools_available === undefined ? {} : { tools: tools_available }),
      }),
      ...(request_text === undefined ? {} : { request: request_text }),
      meta: reading.meta,
    },
  ]
}

export function readCompleted(
  reading: Reading,
  wire: WireEvent<'agent.session.completed'>,
): readonly SluiceEvent[] {
  const { duration_ms } = wire
  const carried = readCarriedEvent(reading, ['session-end'])
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  return [
    {
      kind: 'session-end',
      outcome: 'completed',
      ...(duration_ms === undefined ? {} : { durationMs: duration_ms }),
      meta: reading.meta,
    },
  ]
}

const categories = ['transient', 'permanent', 'requires_user', 'unknown'] as const

export function readErrored(
  reading: Reading,
  wire: WireEvent<'agent.session.errored'>,
): readonly SluiceEvent[] {
  const carried = readCarriedEvent(reading, ['session-end'])
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  if (takeInvented(reading, ['error']).length > 0)
    return [{ kind: 'session-end', outcome: 'failed', meta: reading.meta }]
  const { error_category, error_code, recoverable, remediation_hint } = wire
  const category = categories.find((known) => known === error_category)
  if (category === undefined) keepField(reading, 'error_category', error_category)
  const error: SessionError = {
    category: category ?? 'unknown',
    ...(error_code === undefined ? {} : { code: error_code }),
    ...(recoverable === undefined ? {} : { recoverable }),
    ...(remediation_hint === undefined ? {} : { hint: remediation_hint }),
  }
  return [{ kind: 'session-end', outcome: 'failed', error, meta: reading.meta }]
}

export function readCancelled(
  reading: Reading,
  wire: WireEvent<'agent.session.cancelled'>,
): readonly SluiceEvent[] {
  const carried = readCarriedEvent(reading, ['session-end'])
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  const by = takeInvented(reading, ['by']).length > 0 ? {} : { by: wire.cancelled_by }
  return [{ kind: 'session-end', outcome: 'cancelled', ...by, meta: reading.meta }]
}

/** The event that the extension `sluice` carries whole, if it is one of these kinds. */
export function readCarriedEvent(reading: Reading, kinds: readonly EventKind[]): SluiceEvent | undefined {
  if (reading.carried === undefined) return undefined
  const written = reading.carried['event']
  const json = written === undefined ? reading.carried['eventJson'] : undefined
  const event = fromCarried(isText(json) ? parse(json) : written)
  if (event === undefined || event.meta !== undefined || !kinds.includes(event.kind)) return undefined
  if (!hasPlace(event, reading.session)) return undefined
  takeCarried(reading, written === undefined ? 'eventJson' : 'event', isAnything)
  return event
}

/** Whether what the event ends has begun: an end of nothing would leave no trace of its frame. */
function hasPlace(event: SluiceEvent, session: SessionState): boolean {
  if (event.kind === 'text-end') return tableGet(session.outputs, event.output)?.open === true
  if (event.kind !== 'question-close') return true
  const question = tableGet(session.questions, event.token)
  return question !== undefined && question.closed === undefined
}

const isAnything = (value: JsonValue | undefined): value is JsonValue => value !== undefined

function parse(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json) as JsonValue // JSON.parse returns nothing else
  } catch {
    return undefined
  }
}
