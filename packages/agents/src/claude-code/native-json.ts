import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '@sluice/protocol'

/** An id or a name: a string that is not empty. */
export function toName(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function toText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

export function toCount(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

export function toAmount(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

export function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function toArray(value: JsonValue | undefined): JsonArray {
  return Array.isArray(value) ? value : []
}
