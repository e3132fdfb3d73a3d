import { isJsonObject, type JsonObject, type OutFrame, parseFrame } from '@sluice/protocol'
import { passesFilters } from '../negotiate-filters.ts'
import type { Place } from '../registry-history.ts'
import type { Terms } from '../terms.ts'

/** One event of a subscription. */
export interface PacedFrame {
  readonly id: string
  readonly data: string
  /** The place of a reader that has received it. */
  readonly cursor: Place
  /** True if the rate does not count it: critical events, and those sent early because of one. */
  readonly isFree: boolean
}

/** Properties of encoded frames besides their data. */
export interface FrameTraits {
  /** Text of an answer. */
  readonly isText: boolean
  /** They are sent immediately because of a critical event. */
  readonly isForced: boolean
  /** The outcome of a question, which passes every filter. */
  readonly isOutcome: boolean
}

export interface FrameTerms {
  readonly terms: Terms
  /** Whether the filters let text pass. */
  readonly showsText: boolean
  /** Adapts an event to the terms. */
  tailor(frame: JsonObject): JsonObject
}

/** A frame as an event under the terms; null if they filter it out. */
export function toPaced(
  { data, id, cursor }: OutFrame,
  { isText, isForced, isOutcome }: FrameTraits,
  { terms, showsText, tailor }: FrameTerms,
): PacedFrame | null {
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

/** An empty chunk ends at no boundary, so it claims none that the terms do not ask for. */
function withHint(value: JsonObject, { boundaries }: Terms): JsonObject {
  const { coalesce_hint: hint } = value
  const isKept =
    hint === undefined || hint === 'completion' || boundaries.some((boundary) => boundary === hint)
  return isKept ? value : { ...value, coalesce_hint: 'none' }
}
