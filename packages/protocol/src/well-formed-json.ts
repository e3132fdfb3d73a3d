import { isJsonObject, type JsonValue } from './json.ts'

/** JSON on one line without lone surrogates: readers whose strings are UTF-8 reject their escapes. */
export function stringifyWellFormed(value: unknown): string {
  const text = JSON.stringify(value)
  // JSON.stringify escapes a surrogate only if it is lone; a text that spells the escape merely takes the
  // slow path.
  return text.includes('\\ud') ? JSON.stringify(toWellFormedJson(value as JsonValue)) : text // it was stringified
}

/** True if no string and no key holds a lone surrogate. */
export function isWellFormedJson(value: JsonValue): boolean {
  return (
    !JSON.stringify(value).includes('\\ud') ||
    JSON.stringify(toWellFormedJson(value)) === JSON.stringify(value)
  )
}

/** The same value with each lone surrogate replaced by U+FFFD. */
export function toWellFormedJson(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(toWellFormedJson)
  if (!isJsonObject(value)) return value ?? null
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key.toWellFormed(), toWellFormedJson(member)]),
  )
}
