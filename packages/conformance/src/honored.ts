import type { JsonObject, JsonValue } from '@sluice/protocol'
import { objectOf } from './story.ts'

/** JSON pointers to the honoured capabilities that exceed the requested ones. */
export function exceeding(requested: JsonObject, honored: JsonObject): readonly string[] {
  const found: string[] = []
  const note = (field: string, { isBeyond }: { readonly isBeyond: boolean }): void => {
    if (isBeyond) found.push(`/honored_capabilities/${field}`)
  }
  const rate = honored['max_events_per_second']
  const asked = requested['max_events_per_second']
  note('max_events_per_second', {
    isBeyond: typeof asked === 'number' && (typeof rate !== 'number' || rate > asked),
  })
  for (const field of lists) note(field, { isBeyond: !isSubset(honored[field], requested[field]) })
  for (const field of ['supports_confirmation_reply', 'supports_clarification_reply'])
    note(field, { isBeyond: requested[field] !== true && honored[field] === true })
  note('accept_signed_manifests_only', {
    isBeyond:
      requested['accept_signed_manifests_only'] === true && honored['accept_signed_manifests_only'] === false,
  })
  note('event_filters', {
    isBeyond: !isNarrower(objectOf(honored, 'event_filters'), objectOf(requested, 'event_filters')),
  })
  return found
}

const lists = ['languages', 'coalesce_boundaries', 'supported_conformance_levels', 'supported_extensions']

/** True if either side omits the list, because there is nothing to compare. */
function isSubset(inner: JsonValue | undefined, outer: JsonValue | undefined): boolean {
  if (!Array.isArray(inner) || !Array.isArray(outer)) return true
  return inner.every((item) => outer.includes(item))
}

function isNarrower(honored: JsonObject | undefined, requested: JsonObject | undefined): boolean {
  if (requested === undefined) return true
  const asked = listOf(requested, 'exclude')
  const kept = listOf(honored, 'exclude')
  const isExcluded = asked.every((pattern) => kept.some((other) => covers(other, pattern)))
  const allowed = listOf(requested, 'include')
  const given = listOf(honored, 'include')
  if (allowed.length === 0) return isExcluded
  return (
    isExcluded &&
    given.length > 0 &&
    given.every((pattern) => allowed.some((other) => covers(other, pattern)))
  )
}

function listOf(filters: JsonObject | undefined, field: string): readonly string[] {
  const list = filters?.[field]
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : []
}

function covers(wide: string, narrow: string): boolean {
  return wide.endsWith('*') ? narrow.startsWith(wide.slice(0, -1)) : wide === narrow
}

/** Whether the filters of a request admit non-critical events of this type. */
export function admits(filters: JsonObject | undefined, type: string): boolean {
  const include = listOf(filters, 'include')
  if (listOf(filters, 'exclude').some((pattern) => covers(pattern, type))) return false
  return include.length === 0 || include.some((pattern) => covers(pattern, type))
}
