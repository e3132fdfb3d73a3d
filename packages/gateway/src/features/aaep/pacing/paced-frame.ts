import { isJsonObject, type JsonObject, type OutFrame, parseFrame } from '@sluice/protocol'
import { passesFilters } from '../negotiate-filters.ts'
import type { Place } from '../registry-history.ts'
import type { Terms } from '../terms.ts'

/** One event of a subscription. */
export interface PacedFrame {
  readonly id: string
  readonly data: string
  /** Where a reader stands who has it. */
  readonly cursor: Place
  /** The rate counts neither critical events nor what leaves because of them. */
  readonly isFree: boolean
}

/** An encoded event that has not left, as the terms found it. */
export interface Queued {
  readonly frame: OutFrame
  readonly isText: boolean
  readonly isForced: boolean
  readonly isOutcome: boolean
  /** What it comes to; null when the terms leave it out. */
  made?: PacedFrame | null | undefined
}

/** The event that a frame is under the terms, which show text or not; null when they leave it out. */
export function toPaced(
  { frame, isText, isForced, isOutcome }: Queued,
  { terms, tailor }: { readonly terms: Terms; tailor(frame: JsonObject): JsonObject },
  showsText: boolean,
): PacedFrame | null {
  const { data, id, cursor } = frame
  if (isText) return showsText ? { id: id ?? '', data, cursor, isFree: isForced } : null
  const parsed = parseFrame(data)
  const value = parsed.ok ? parsed.frame.value : undefined
  if (!isJsonObject(value)) return null
  const { type, urgency, event_id } = value
  const isUrgent = urgency === 'critical'
  const passes = typeof type === 'string' && passesFilters(type, terms.filters)
  if (!isUrgent && !isOutcome && !passes) return null
  const tailored = tailor(withHint(value, terms))
  return {
    id: String(event_id),
    data: tailored === value ? data : JSON.stringify(tailored),
    cursor,
    isFree: isForced || isUrgent,
  }
}

/** An empty chunk, which was not cut, claims no boundary that nobody asked for. */
function withHint(value: JsonObject, { boundaries }: Terms): JsonObject {
  const { coalesce_hint: hint } = value
  const isKept =
    hint === undefined || hint === 'completion' || boundaries.some((boundary) => boundary === hint)
  return isKept ? value : { ...value, coalesce_hint: 'none' }
}
