import { toCarried } from '../carry.ts'
import type { EventKind, Meta, SluiceEvent, TextDelta } from '../events.ts'
import { createRecord, isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { isEvent } from '../schemas/event-check.ts'
import { boundDepth } from './bound-depth.ts'
import { safeId } from './safe-id.ts'

/** A2A may hold all payloads: the request in the history, arguments and results in data parts. */
export const payloads = { request: true, toolArgs: true, toolResults: true } as const

/** All of an event but its meta, with ids that any client can read. */
export function toEventData(event: SluiceEvent): JsonObject {
  const data = toCarried(event, payloads)
  const key = 'call' in event ? 'call' : 'token' in event ? 'token' : undefined
  const id = key === undefined ? undefined : data[key]
  if (key === undefined || typeof id !== 'string' || id.isWellFormed()) return data
  return { ...data, [key]: safeId(id) }
}

/** What `metadata.sluice` says of an event whose frame has no field for it. */
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
  return sluice.meta === undefined ? sluice : withMeta(sluice, sluice.meta)
}

/** The object under `sluice` in a metadata, if there is one. */
export function sluiceOf(metadata: JsonObject | undefined): JsonObject | undefined {
  const sluice = metadata === undefined ? undefined : metadata['sluice']
  return isJsonObject(sluice) ? sluice : undefined
}

/** What a chunk says beside its text, or undefined when that is nothing. */
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

/** The delta that a chunk's text and its `metadata.sluice` make; without it when that is none of ours. */
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
  return event.meta === undefined ? (event as TextDelta) : (withMeta(event, event.meta) as TextDelta) // its kind is set above
}

/** Without what is only known where an event was first read. */
export function carriedMeta(meta: Meta | undefined): JsonObject | undefined {
  if (meta === undefined) return undefined
  const carried = createRecord<JsonValue>()
  let isEmpty = true
  for (const key in meta) {
    if (key === 'ext' || key === 'implied') continue
    const value = meta[key as keyof Meta]
    if (value === undefined) continue
    carried[key] = value as JsonValue // a meta is plain JSON
    isEmpty = false
  }
  return isEmpty ? undefined : carried
}

function withMeta(event: SluiceEvent, meta: Meta): SluiceEvent {
  const { ext: _ext, implied: _implied, ...kept } = meta
  return { ...event, meta: kept }
}

function defined(fields: JsonObject): JsonObject {
  const result = createRecord<JsonValue>()
  for (const key in fields) if (fields[key] !== undefined) result[key] = fields[key]
  return result
}
