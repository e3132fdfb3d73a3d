import type { DialectSupports } from './dialect.ts'
import type { EventKind, SluiceEvent } from './events.ts'
import { createRecord, type JsonObject, type JsonValue } from './json.ts'
import { isEvent } from './schemas/event-check.ts'

/**
 * The part of an event that a dialect without a field for it carries in its extension place, under the key
 * `sluice`: everything except `meta` and the payloads that the dialect may not hold.
 */
export function toCarried(event: SluiceEvent, payloads: DialectSupports['payloads']): JsonObject {
  const members = event as unknown as JsonObject // an event is plain JSON
  // Filling and writing an object without a prototype takes three times as long, and only this key needs one.
  const carried: Record<string, JsonValue | undefined> = Object.hasOwn(members, '__proto__')
    ? createRecord()
    : {}
  for (const key in members) {
    if (key === 'meta' || (isPayload(event.kind, key) && !mayHold(event.kind, payloads))) continue
    carried[key] = members[key]
  }
  return carried
}

/** Reads a carried event back; undefined if it is not an event. Its content is checked like any input. */
export function fromCarried(value: JsonValue | undefined): SluiceEvent | undefined {
  return isEvent(value) ? value : undefined
}

function isPayload(kind: EventKind, key: string): boolean {
  if (kind === 'session-start') return key === 'request'
  if (kind === 'tool-call') return key === 'args'
  if (kind === 'tool-call-delta') return key === 'argsText'
  return kind === 'tool-result' && (key === 'result' || key === 'message')
}

function mayHold(kind: EventKind, payloads: DialectSupports['payloads']): boolean {
  if (kind === 'session-start') return payloads.request
  return kind === 'tool-result' ? payloads.toolResults : payloads.toolArgs
}
