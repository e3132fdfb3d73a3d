import type { SluiceEvent } from './events.ts'

/**
 * Fields that settling assigns or that only give a text's place; the text itself is only compared as a whole.
 */
const derived = new Set(['kind', 'take', 'position', 'held', 'joins', 'text-delta.text'])

/** Every fact that events state: a path such as `tool-call.args` or `meta.trace`, with its values. */
function factsOf(events: readonly SluiceEvent[]): ReadonlyMap<string, ReadonlySet<string>> {
  const facts = new Map<string, Set<string>>()
  const state = (path: string, value: unknown): void => {
    const values = facts.get(path) ?? new Set()
    facts.set(path, values.add(JSON.stringify(value)))
  }
  for (const event of events) {
    if (event.meta?.implied === true) continue
    state(event.kind, true)
    for (const [field, value] of Object.entries(event)) {
      if (field === 'meta' || derived.has(field) || derived.has(`${event.kind}.${field}`)) continue
      state(`${event.kind}.${field}`, value)
    }
    stateMeta(event, state)
  }
  return facts
}

function stateMeta(event: SluiceEvent, state: (path: string, value: unknown) => void): void {
  for (const [field, value] of Object.entries(event.meta ?? {})) {
    if (field === 'ext' || field === 'implied') continue
    if (field === 'agent' || field === 'summaries')
      for (const [part, inner] of Object.entries(value as object)) state(`meta.${field}.${part}`, inner)
    else state(`meta.${field}`, value)
  }
}

/**
 * The paths for which `after` no longer states every value that `before` did; a missing kind stands for its
 * fields.
 */
export function lossesBetween(
  before: readonly SluiceEvent[],
  after: readonly SluiceEvent[],
): readonly string[] {
  const kept = factsOf(after)
  const lost = new Set<string>()
  for (const [path, values] of factsOf(before)) {
    const left = kept.get(path)
    for (const value of values) if (left?.has(value) !== true) lost.add(path)
  }
  return [...lost]
    .filter((path) => path.startsWith('meta.') || !lost.has(path.split('.')[0] ?? '') || !path.includes('.'))
    .sort()
}
