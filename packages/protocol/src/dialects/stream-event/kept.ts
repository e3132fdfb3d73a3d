import Type from 'typebox'
import type { Meta, SluiceEvent } from '../../events.ts'
import { isJsonObject, type JsonObject, type JsonValue, unknownFields } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'

export const dialectId = 'stream-event'

/** The output of `answer_chunk`, `text`, `answer` and `final_answer`. */
export const answerOutput = 'answer'
/** The output of `thinking`. */
export const reasoningOutput = 'reasoning'

/**
 * How a frame spelled what the model holds, so that the frame goes out as it came in. Absent members: as
 * documented.
 */
export interface Kept {
  readonly type?: string
  /** The field of `data` with the text; empty if `data` is the text itself. */
  readonly at?: string
  /** The level of a log as written; null if there was none. */
  readonly level?: JsonValue
  readonly tool?: string
  /** The field with the arguments or the result; empty if there was none. */
  readonly payload?: string
  /** The other fields of `data`. */
  readonly rest?: JsonObject
  /** All of `data`, if it carries the event or the model has no place for it. */
  readonly data?: JsonValue
  /** The fields besides `type` and `data`. */
  readonly fields?: JsonObject
}

const anyObject = Type.Record(Type.String(), Type.Unknown())
const checker = createChecker(
  Type.Object({
    type: Type.Optional(Type.String()),
    at: Type.Optional(Type.String()),
    level: Type.Optional(Type.Unknown()),
    tool: Type.Optional(Type.String()),
    payload: Type.Optional(Type.String()),
    rest: Type.Optional(anyObject),
    data: Type.Optional(Type.Unknown()),
    fields: Type.Optional(anyObject),
  }),
  'meta.ext',
)

/** The frame was spelled as documented. */
export const noneKept: Kept = {}

/**
 * What an event kept of its frame. A peer may have written it, so anything that would make an unsound frame
 * is left out.
 */
export function keptOf(event: SluiceEvent): Kept {
  const ext = event.meta?.ext?.[dialectId]
  if (ext === undefined || !checker.isExact(ext)) return {}
  const { fields, ...kept } = ext as Kept // just checked
  const known = fields === undefined ? undefined : unknownFields(fields, knownFields)
  return known === undefined ? kept : { ...kept, fields: known }
}

export const knownFields: ReadonlySet<string> = new Set(['type', 'data'])

export function metaOf(kept: Kept): { readonly meta?: Meta } {
  if (kept === noneKept || Object.keys(kept).length === 0) return {}
  return { meta: { ext: { [dialectId]: kept as JsonObject } } } // its members are JSON
}

export function sluiceOf(data: JsonValue | undefined): JsonObject {
  const sluice = isJsonObject(data) ? data['sluice'] : undefined
  return isJsonObject(sluice) ? sluice : {}
}

/** The data without the event that it carries: rejected data is not repeated. */
export function withoutSluice(data: JsonValue): JsonValue {
  if (!isJsonObject(data)) return data
  const { sluice: _sluice, ...rest } = data
  return rest
}

/** The text in `data`: itself, or the first of `fields` that holds one. */
export interface TextReading {
  readonly text: string
  readonly at: string
  readonly rest?: JsonObject
}

export function readText(data: JsonValue, fields: readonly string[]): TextReading | undefined {
  if (typeof data === 'string') return { text: data, at: '' }
  if (!isJsonObject(data)) return undefined
  for (const at of fields) {
    const text = data[at]
    if (typeof text === 'string') return isOnly(data, at) ? { text, at } : { text, at, ...restOf(data, [at]) }
  }
  return undefined
}

function isOnly(data: JsonObject, field: string): boolean {
  for (const key in data) if (key !== field) return false
  return true
}

/** The members of `data` besides `taken`, if there are any. */
export function restOf(data: JsonObject, taken: readonly string[]): { readonly rest?: JsonObject } {
  const entries = Object.entries(data).filter(([key]) => !taken.includes(key))
  return entries.length === 0 ? {} : { rest: Object.fromEntries(entries) }
}
