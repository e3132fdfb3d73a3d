import type { EventKind, SluiceEvent } from '../events.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { isEvent } from '../schemas/event-check.ts'
import type { SessionState } from '../session-state.ts'
import { tableGet } from '../table.ts'
import { eventParts, withoutTraces } from './carried.ts'
import { fitsArtifact } from './encode-data.ts'
import type { A2aArtifact } from './model.ts'
import { find, type Reading } from './reading.ts'
import { a2aRules } from './rules.ts'

const kinds: ReadonlySet<EventKind> = new Set([
  'tool-call',
  'tool-call-delta',
  'tool-result',
  'sources',
  'state-data',
  'unknown',
] as const)

/**
 * Reads data parts that are events. Returns false and reads nothing unless all of them are. A task repeats
 * what the session knows, so only missing events count there.
 */
export function decodeEventParts(
  reading: Reading,
  artifact: A2aArtifact,
  sluice: JsonObject,
  isRepeated: boolean,
): boolean {
  if (sluice['parts'] !== eventParts) return false
  const { meta } = sluice
  const events: SluiceEvent[] = []
  for (const part of artifact.parts) {
    if (part.type !== 'data' || !isJsonObject(part.data) || 'meta' in part.data) return false
    const event = meta === undefined ? part.data : { ...part.data, meta }
    if (!isEvent(event) || !kinds.has(event.kind)) return false
    events.push(withoutTraces(event))
  }
  if (events.length === 0) return false
  if (!events.every((event) => fitsArtifact(event, artifact))) {
    find(reading, a2aRules.carriedContradicts, '/metadata/sluice/parts')
    return false
  }
  for (const event of events) if (!isRepeated || isMissing(reading.session, event)) reading.events.push(event)
  return true
}

function isMissing(session: SessionState, event: SluiceEvent): boolean {
  if (event.kind === 'tool-call' || event.kind === 'tool-call-delta')
    return tableGet(session.calls, event.call) === undefined
  if (event.kind === 'tool-result') return tableGet(session.calls, event.call)?.status === undefined
  if (event.kind === 'sources') return session.sources.length === 0
  if (event.kind === 'state-data') return session.data === undefined
  return !session.started
}
