import { isJsonObject, type JsonObject } from '@sluice/protocol'

/** Undefined when the text is not one JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
