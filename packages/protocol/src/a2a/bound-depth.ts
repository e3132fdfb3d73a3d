import { createRecord, isDeeperThan, type JsonObject, type JsonValue } from '../json.ts'

/** The depth to which a value may nest so that a frame with it, in an envelope, stays within 64 levels. */
const maxDepth = 52

/** The value, with every part that nests too deep as JSON text. */
export function boundDepth<T extends JsonValue>(value: T): T {
  return isDeeperThan(value, maxDepth) ? (cut(value, maxDepth) as T) : value // the outermost level keeps its form
}

function cut(value: JsonValue, left: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (left === 0) return JSON.stringify(value)
  if (Array.isArray(value)) return value.map((item) => cut(item, left - 1))
  const object = value as JsonObject // the array case returned above
  const result = createRecord<JsonValue>()
  for (const key in object) {
    const member = object[key]
    if (member !== undefined) result[key] = cut(member, left - 1)
  }
  return result
}
