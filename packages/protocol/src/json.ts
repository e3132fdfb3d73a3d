/**
 * Any JSON value. Objects from JSON.parse may hold `__proto__` as an own key: read them, never merge them.
 */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** True for a JSON object, but not for an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An empty map without a prototype: `__proto__` and `constructor` are keys like any other. */
export function createRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T> // nothing was checked: an empty object fits every T
}

/** True if arrays and objects nest deeper than `maxDepth`. Stops at the bound, so depth costs no stack. */
export function isDeeperThan(value: JsonValue | undefined, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (maxDepth === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && isDeeperThan(item, maxDepth - 1)) return true
    return false
  }
  const object = value as JsonObject // the array case returned above
  for (const key in object) {
    const member = object[key]
    if (typeof member === 'object' && isDeeperThan(member, maxDepth - 1)) return true
  }
  return false
}

/** True if both are the same JSON, regardless of the order of members. */
export function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameJson(item, b[index]))
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
  )
}

/** The fields of `value` that are not in `known`, or undefined if there are none. */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>): JsonObject | undefined {
  let rest: Record<string, JsonValue | undefined> | undefined
  for (const key in value) {
    if (known.has(key)) continue
    rest ??= createRecord<JsonValue | undefined>()
    rest[key] = value[key]
  }
  return rest
}
