import type { JsonValue } from '@sluice/protocol'
import { membersOf, type SchemaNode } from './settings.ts'

/**
 * The value that the text of a flag or variable represents. Lists of texts are separated by commas; lists of
 * objects and maps are JSON. A text that cannot fit the schema stays a text, so that reading it reports what
 * was expected.
 */
export function readText(node: SchemaNode, text: string): JsonValue {
  if (node.type === 'integer') return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (node.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (membersOf(node) !== undefined) return parseJson(text)
  if (node.items === undefined) return text
  return node.items.properties === undefined ? splitList(text) : parseJson(text)
}

function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue // JSON.parse() returns nothing else
  } catch {
    return text
  }
}
