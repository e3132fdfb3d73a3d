import { toCarried } from '../carry.ts'
import type { EventKind, Meta, SluiceEvent, TextDelta } from '../events.ts'
import { createRecord, isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { isEvent } from '../schemas/event-check.ts'
import { boundDepth } from './bound-depth.ts'
import { hasKeys } from './profile.ts'
import { safeId } from './safe-id.ts'

/** A2A may hold all payloads: the request in the history, arguments and results in data parts. */
export const payloads = { request: true, toolArgs: true, toolResults: true } as const

/** The value of `metadata.sluice.parts` if the data parts of an artifact are events of the model. */
export const eventParts = 'events'

/** All of an event except its meta, with ids that any client can read. */
export function toEventData(event: SluiceEvent): JsonObject {
  const data = toCarried(event, payloads)
  const key = 'call' in event ? 'call' : 'token' in event ? 'token' : undefined
  const id = key === undefined ? undefined : data[key]
  if (key === undefined || typeof id !== 'string' || id.isWellFormed()) return data
  return { ...data, [key]: safeId(id) }
}

/** The `metadata.sluice` of an event whose frame has no field for it. */
export function toSluice(event: SluiceEvent): JsonObject {
  const carried = toEventData(event)
  const meta = carriedMeta(event.meta)
  return boundDepth(meta === undefined ? carried : { ...carried, meta })
}

/** The event that `metadata.sluice` carries, if it is one of `kinds`. */
export function fromSluice(
  sluice: JsonValue | undefined,
  kinds: ReadonlySet<EventKind>,
): SluiceEvent | undefined {
  if (sluice === undefined || !isEvent(sluice) || !kinds.has(sluice.kind)) return undefined
  return withoutTraces(sluice)
}

/** The object under `sluice` in some metadata, if there is one. */
export function sluiceOf(metadata: JsonObject | undefined): JsonObject | undefined {
  const sluice = metadata === undefined ? undefined : metadata['sluice']
  return isJsonObject(sluice) ? sluice : undefined
}

/** The object under `sluice` in metadata that holds nothing else. */
export function onlySluice(metadata: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(metadata) || !hasKeys(metadata, 1)) return undefined
  return sluiceOf(metadata)
}

/** What a chunk says besides its text; undefined if that is nothing. */
export function toDeltaSluice(event: TextDelta, artifact: string): JsonObject | undefined {
  const { output, channel, hint, contentType, language } = event
  const meta = event.meta === undefined ? undefined : carriedMeta(event.meta)
  const isPlain = output === artifact && channel === 'answer' && meta === undefined
  if (isPlain && hint === undefined && contentType === undefined && language === undefined) return undefined
  const sluice = createRecord<JsonValue>()
  if (output !== artifact) sluice['output'] = safeId(output)
  if (channel !== 'answer') sluice['channel'] = channel
  if (hint !== undefined) sluice['hint'] = hint
  if (contentType !== undefined) sluice['contentType'] = contentType
  if (language !== undefined) sluice['language'] = language
  if (meta !== undefined) sluice['meta'] = meta
  return sluice
}

/** The delta of a chunk's text and its `metadata.sluice`, or of the text alone if that is not ours. */
export function fromDeltaSluice(sluice: JsonObject | undefined, artifact: string, text: string): TextDelta {
  const plain: TextDelta = {
    kind: 'text-delta',
    output: artifact,
    take: 0,
    text,
    position: 0,
    channel: 'answer',
  }
  if (sluice === undefined) return plain
  const { output, channel, hint, contentType, language, meta } = sluice
  const event = { ...plain, ...defined({ output, channel, hint, contentType, language, meta }) }
  if (!isEvent(event)) return plain
  return withoutTraces(event) as TextDelta // its kind is set above
}

/** The meta without fields that matter only where an event was first read. */
export function carriedMeta(meta: Meta | undefined): JsonObject | undefined {
  if (meta === undefined) return undefined
  if (meta.ext === undefined && meta.implied === undefined) return nonEmpty(meta)
  // A rest, not a record: JSON.stringify takes half as long again for an object without a prototype.
  const { ext: _ext, implied: _implied, ...kept } = meta
  return nonEmpty(kept)
}

function nonEmpty(meta: Meta): JsonObject | undefined {
  for (const key in meta) if (meta[key as keyof Meta] !== undefined) return meta as JsonObject // a meta is plain JSON
  return undefined
}

/** The event without what another reader kept, and without the mark of an implied event. */
export function withoutTraces(event: SluiceEvent): SluiceEvent {
  if (event.meta?.ext === undefined && event.meta?.implied === undefined) return event
  const { ext: _ext, implied: _implied, ...meta } = event.meta
  return { ...event, meta }
}

function defined(fields: JsonObject): JsonObject {
  const result = createRecord<JsonValue>()
  for (const key in fields) if (fields[key] !== undefined) result[key] = fields[key]
  return result
}
