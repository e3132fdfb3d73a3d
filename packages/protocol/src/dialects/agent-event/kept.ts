import Type from 'typebox'
import type { Meta, SluiceEvent } from '../../events.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { createChecker } from '../../schemas/check.ts'
import { checkFacet } from './facets.ts'
import type { WireEvent } from './read-frame.ts'
import { wireKinds } from './wire.ts'

export const dialectId = 'agent-event'

/** Members of a frame that the model has no place for, kept so that the frame goes out as it came in. */
export interface Kept {
  /** Set if the frame is repeated whole: its data carried the event. */
  readonly kind?: string
  readonly message?: string
  readonly data?: JsonValue
  /** Set for a tool's frame without data; any other frame without kept data is rewritten. */
  readonly bare?: true
  /** A completion without its final text. */
  readonly completion?: JsonObject
  /** The fields that this dialect does not name. */
  readonly fields?: JsonObject
}

const anyObject = Type.Record(Type.String(), Type.Unknown())
const checker = createChecker(
  Type.Object({
    kind: Type.Optional(Type.Enum(wireKinds.filter((kind) => kind !== 'TextOutput'))),
    message: Type.Optional(Type.String()),
    data: Type.Optional(Type.Unknown()),
    bare: Type.Optional(Type.Literal(true)),
    completion: Type.Optional(anyObject),
    fields: Type.Optional(anyObject),
  }),
  'meta.ext',
)

/**
 * What an event kept of its frame. A peer may have written it, so anything that would make an unsound frame
 * is left out.
 */
export function keptOf(event: SluiceEvent): Kept {
  const ext = event.meta?.ext?.[dialectId]
  if (ext === undefined || !checker.isExact(ext)) return {}
  const { fields, ...kept } = ext as Kept // just checked
  const { data: _data, ...rest } = kept
  const sound = checkFacet(kept.data).findings.length === 0 ? kept : rest
  const known = fields === undefined ? undefined : unknownFields(fields, knownFields)
  if (sound.kind === 'Error' && sound.message === undefined) return {}
  return known === undefined ? sound : { ...sound, fields: known }
}

const knownFields: ReadonlySet<string> = new Set([
  'agent_kind',
  'kind',
  'channel',
  'text',
  'message',
  'data',
  'completion',
])

/** What to keep of a frame; `except` names the member that the event itself holds. */
export function extOf(event: WireEvent, except?: 'data'): Kept | undefined {
  const fields = unknownFields(event, knownFields)
  const { kind, message } = event
  const data = except === 'data' ? undefined : event.data
  // The model has no place for the message of these kinds.
  const isKept = message !== undefined && (kind === 'ToolCall' || kind === 'Unknown')
  if (fields === undefined && !isKept) return data === undefined ? undefined : { data }
  return {
    ...omitUndefined({ fields, data }),
    ...(isKept ? { message } : {}),
  }
}

/** `kept` as the `meta.ext` of its event. */
export function toExt(kept: Kept): NonNullable<Meta['ext']> {
  return { [dialectId]: kept as JsonObject } // its members are JSON
}

/** A frame, or a side of a completion, without what its data carries: rejected data is not repeated. */
export function withoutSluice<T extends JsonObject>(value: T): T {
  if (!isJsonObject(value['data'])) return value
  const { sluice: _sluice, ...data } = value['data']
  if (Object.keys(data).length > 0) return { ...value, data }
  const { data: _data, ...rest } = value
  return rest as unknown as T // data is optional
}
