import type { EventKind, SluiceEvent } from '../events.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { isEvent } from '../schemas/event-check.ts'
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

/** Reads data parts that are events; undefined unless all of them are. */
export function readEventParts(
  reading: Reading,
  artifact: A2aArtifact,
  sluice: JsonObject,
): readonly SluiceEvent[] | undefined {
  if (sluice['parts'] !== eventParts) return undefined
  const { meta } = sluice
  const events: SluiceEvent[] = []
  for (const part of artifact.parts) {
    if (part.type !== 'data' || !isJsonObject(part.data) || 'meta' in part.data) return undefined
    const event = meta === undefined ? part.data : { ...part.data, meta }
    if (!isEvent(event) || !kinds.has(event.kind)) return undefined
    events.push(withoutTraces(event))
  }
  if (events.length === 0) return undefined
  if (events.every((event) => fitsArtifact(event, artifact))) return events
  find(reading, a2aRules.carriedContradicts, '/metadata/sluice/parts')
  return undefined
}
