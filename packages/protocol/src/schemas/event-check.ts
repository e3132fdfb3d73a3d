import type { SluiceEvent } from '../events.ts'
import type { Finding } from '../finding.ts'
import { isJsonObject, type JsonValue } from '../json.ts'
import { type Checker, createChecker } from './check.ts'
import { eventSchemas } from './event-schema.ts'

const checkers: Readonly<Record<string, Checker>> = Object.fromEntries(
  Object.entries(eventSchemas).map(([kind, schema]) => [kind, createChecker(schema, `protocol.md, ${kind}`)]),
)

/** True when `value` is an event of the model, by the schema of its kind. */
export function isEvent(value: unknown): value is SluiceEvent {
  return isUsualDelta(value) || checkerOf(value)?.isExact(value) === true
}

/**
 * The hot path: another piece of a text with the usual fields, which fits its schema. Nine of ten events are such
 * pieces. Once V8 has met objects of many shapes, an entry with one is read 0.2 µs faster this way.
 */
function isUsualDelta(value: unknown): boolean {
  if (!isJsonObject(value) || value['kind'] !== 'text-delta') return false
  const { output, take, text, position, channel, meta } = value
  if (typeof output !== 'string' || typeof text !== 'string' || !isCount(take) || !isCount(position))
    return false
  if (channel !== 'answer' && channel !== 'reasoning') return false
  let count = meta === undefined ? 6 : 7
  for (const _name in value) count--
  return count === 0 && (meta === undefined || isUsualMeta(meta))
}

function isCount(value: JsonValue | undefined): boolean {
  return Number.isInteger(value) && Number(value) >= 0
}

function isUsualMeta(meta: JsonValue): boolean {
  if (!isJsonObject(meta)) return false
  for (const key in meta) {
    const value = meta[key]
    if (key === 'agent') {
      if (!isJsonObject(value)) return false
      for (const field in value) if (typeof value[field] !== 'string') return false
    } else if ((key !== 'id' && key !== 'at') || typeof value !== 'string') return false
  }
  return true
}

/** The findings of each event, by the schema of its kind alone: a union of schemas would blame every kind. */
export function eventFindings(events: readonly JsonValue[]): readonly Finding[] {
  return events.flatMap((event, index) => {
    const checker = checkerOf(event)
    if (checker === undefined) return [unknownKind(`/events/${index}`, isJsonObject(event))]
    return checker
      .exactFindings(event)
      .map((finding) => ({ ...finding, path: `/events/${index}${finding.path}` }))
  })
}

function checkerOf(event: unknown): Checker | undefined {
  const kind = isJsonObject(event) ? event['kind'] : undefined
  return typeof kind === 'string' && Object.hasOwn(checkers, kind) ? checkers[kind] : undefined
}

function unknownKind(path: string, isObject: boolean): Finding {
  const rule = 'protocol.md, The kinds of events'
  if (!isObject)
    return { code: 'wrong_type', path, message: 'The value is of the wrong type. (object)', rule }
  const message = 'The value is not one of those that the dialect names.'
  return { code: 'unknown_value', path: `${path}/kind`, message, rule }
}
