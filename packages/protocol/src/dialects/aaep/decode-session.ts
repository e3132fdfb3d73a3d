import type { SessionError, SluiceEvent } from '../../events.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { readAgreedEvent } from './carried-event.ts'
import { keepField, type Reading, takeInvented } from './reading.ts'
import type { WireEvent } from './wire/events.ts'

export function readStarted(
  reading: Reading,
  wire: WireEvent<'agent.session.started'>,
): readonly SluiceEvent[] {
  const { request_text, tools_available } = wire
  const carried = readAgreedEvent(reading, 'session-start')
  const whole = carried?.kind === 'session-start' ? carried : undefined
  return [
    {
      ...(whole ??
        omitUndefined({
          kind: 'session-start',
          tools: tools_available,
        })),
      ...omitUndefined({ request: request_text }),
      meta: reading.meta,
    },
  ]
}

export function readCompleted(
  reading: Reading,
  wire: WireEvent<'agent.session.completed'>,
): readonly SluiceEvent[] {
  const { duration_ms } = wire
  const carried = readAgreedEvent(reading, 'session-end')
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  return [
    omitUndefined({
      kind: 'session-end',
      outcome: 'completed',
      durationMs: duration_ms,
      meta: reading.meta,
    }),
  ]
}

const categories = ['transient', 'permanent', 'requires_user', 'unknown'] as const

export function readErrored(
  reading: Reading,
  wire: WireEvent<'agent.session.errored'>,
): readonly SluiceEvent[] {
  const carried = readAgreedEvent(reading, 'session-end')
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  const { error_category, error_code, recoverable, remediation_hint } = wire
  const isBare =
    error_category === 'unknown' &&
    error_code === undefined &&
    recoverable === undefined &&
    remediation_hint === undefined
  if (takeInvented(reading, { error: () => isBare }).length > 0)
    return [{ kind: 'session-end', outcome: 'failed', meta: reading.meta }]
  const category = categories.find((known) => known === error_category)
  if (category === undefined) keepField(reading, 'error_category', error_category)
  const error: SessionError = omitUndefined({
    category: category ?? 'unknown',
    code: error_code,
    recoverable,
    hint: remediation_hint,
  })
  return [{ kind: 'session-end', outcome: 'failed', error, meta: reading.meta }]
}

export function readCancelled(
  reading: Reading,
  wire: WireEvent<'agent.session.cancelled'>,
): readonly SluiceEvent[] {
  const carried = readAgreedEvent(reading, 'session-end')
  if (carried !== undefined) return [{ ...carried, meta: reading.meta }]
  const isInvented = takeInvented(reading, { by: () => wire.cancelled_by === 'system' }).length > 0
  const by = isInvented ? {} : { by: wire.cancelled_by }
  return [{ kind: 'session-end', outcome: 'cancelled', ...by, meta: reading.meta }]
}
