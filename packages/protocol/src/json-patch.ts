import { isDeeperThan, isJsonObject, isSameJson, type JsonObject, type JsonValue } from './json.ts'
import { weigh } from './weigh.ts'

const maxDepth = 64

/**
 * A document after the operations of a JSON Patch (RFC 6902), as a new value; undefined if one of them does not apply,
 * or if the result nests too deeply or its copies weigh more than `maxCopied`. Each operation copies only the objects
 * and arrays on its path.
 */
export function applyJsonPatch(
  document: JsonValue | undefined,
  operations: readonly JsonValue[],
  maxCopied: number,
): JsonValue | undefined {
  let current: JsonValue | undefined = document
  // A few dozen copies of a document into itself would be larger than any memory.
  let copied = 0
  for (const operation of operations) {
    if (!isJsonObject(operation)) return undefined
    if (operation['op'] === 'copy') copied += weigh(valueAt(current, parsePointer(operation['from']) ?? []))
    const applied = copied > maxCopied ? undefined : apply(current, operation)
    if (applied === undefined) return undefined
    current = applied.value
  }
  return isDeeperThan(current, maxDepth) ? undefined : current
}

/** A value that may be absent: the document itself can be removed. */
interface Applied {
  readonly value: JsonValue | undefined
}

function apply(document: JsonValue | undefined, operation: JsonObject): Applied | undefined {
  const { op, value } = operation
  const path = parsePointer(operation['path'])
  const from = op === 'move' || op === 'copy' ? parsePointer(operation['from']) : undefined
  if (path === undefined) return undefined
  switch (op) {
    case 'add':
      return value === undefined ? undefined : change(document, path, { how: 'add', value })
    case 'replace':
      return value === undefined ? undefined : change(document, path, { how: 'replace', value })
    case 'remove':
      return change(document, path, removal)
    case 'test':
      return isSameJson(valueAt(document, path), value) ? { value: document } : undefined
    case 'copy':
    case 'move': {
      const moved = from === undefined ? undefined : valueAt(document, from)
      if (from === undefined || moved === undefined) return undefined
      const rest = op === 'move' ? change(document, from, removal) : { value: document }
      return rest === undefined ? undefined : change(rest.value, path, { how: 'add', value: moved })
    }
    default:
      return undefined
  }
}

type Change =
  | { readonly how: 'add' | 'replace'; readonly value: JsonValue }
  | { readonly how: 'remove'; readonly value?: undefined }

const removal: Change = { how: 'remove' }

function change(
  target: JsonValue | undefined,
  path: readonly string[],
  operation: Change,
): Applied | undefined {
  const { how, value } = operation
  const [key, ...rest] = path
  if (key === undefined) return how !== 'add' && target === undefined ? undefined : { value }
  if (Array.isArray(target)) return changeItem(target, path, operation)
  if (!isJsonObject(target)) return undefined
  const known = Object.hasOwn(target, key) ? target[key] : undefined
  if (rest.length > 0) {
    const changed = change(known, rest, operation)
    return changed === undefined ? undefined : { value: { ...target, [key]: changed.value ?? null } }
  }
  if (how !== 'add' && known === undefined) return undefined
  if (how !== 'remove') return { value: { ...target, [key]: value ?? null } }
  return { value: Object.fromEntries(Object.entries(target).filter(([name]) => name !== key)) as JsonObject }
}

function changeItem(
  target: readonly JsonValue[],
  [key = '', ...rest]: readonly string[],
  operation: Change,
): Applied | undefined {
  const { how, value } = operation
  const index = key === '-' ? target.length : toIndex(key)
  const isInside = index < target.length
  if (!isInside && (rest.length > 0 || how !== 'add' || index !== target.length)) return undefined
  if (rest.length > 0) {
    const changed = change(target[index], rest, operation)
    return changed === undefined ? undefined : { value: target.with(index, changed.value ?? null) }
  }
  if (how === 'remove') return { value: target.toSpliced(index, 1) }
  return {
    value: how === 'add' ? target.toSpliced(index, 0, value ?? null) : target.with(index, value ?? null),
  }
}

function valueAt(document: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = document
  for (const key of path) {
    if (Array.isArray(value)) value = value[toIndex(key)]
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

/** RFC 6901; undefined for anything else. */
function parsePointer(pointer: JsonValue | undefined): readonly string[] | undefined {
  if (pointer === '') return []
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function toIndex(key: string): number {
  return /^(?:0|[1-9]\d{0,8})$/.test(key) ? Number(key) : Number.NaN
}
