import Type from 'typebox'
import type { Meta, SluiceEvent } from '../../events.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'
import { checkFacet } from './facets.ts'
import type { WireEvent } from './read-frame.ts'
import { wireKinds } from './wire.ts'

export const dialectId = 'agent-event'

/** Members of a frame that the model has no place for, so that it comes out as it came in. */
export interface Kept {
  /** Set where the frame is repeated whole: its event was carried in its data. */
  readonly kind?: string
  readonly message?: string
  readonly data?: JsonValue
  /** True of a tool's frame that had no data; otherwise a frame without kept data is written anew. */
  readonly bare?: true
  /** A completion without its final text. */
  readonly completion?: JsonObject
  /** The fields that the contract does not name. */
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

/** What an event kept of its frame. A peer may have written it, so what would not make a sound frame is left out. */
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
  // The message of these kinds is no part of the model.
  const isKept = message !== undefined && (kind === 'ToolCall' || kind === 'Unknown')
  if (fields === undefined && !isKept) return data === undefined ? undefined : { data }
  return {
    ...(fields === undefined ? {} : { fields }),
    ...(data === undefined ? {} : { data }),
    ...(isKept ? { message } : {}),
  }
}

/** `kept` as the meta of its event. */
export function toExt(kept: Kept): NonNullable<Meta['ext']> {
  return { [dialectId]: kept as JsonObject } // its members are JSON
}

/** A frame, or a side of a completion, without what its data carries: what was not believed is not said again. */
export function withoutSluice<T extends JsonObject>(value: T): T {
  if (!isJsonObject(value['data'])) return value
  const { sluice: _sluice, ...data } = value['data']
  if (Object.keys(data).length > 0) return { ...value, data }
  const { data: _data, ...rest } = value
  return rest as unknown as T // data is optional
}
