import fc from 'fast-check'
import type { JsonValue } from '../json.ts'

const strange: readonly JsonValue[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  '',
  '\ud800',
  'x'.repeat(20_000),
  '__proto__',
  [],
  [[]],
  {},
  { __proto__: 1 },
  { kind: 'text', text: 1 },
]

export interface Mutation {
  readonly kind: 'drop' | 'repeat' | 'swap' | 'set' | 'delete' | 'rename' | 'cut' | 'garble'
  readonly line: number
  readonly place: number
  readonly value: JsonValue
}

/** One change to a recording: to its lines, to a member in a line's JSON, or to a line's text. */
export const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom(
    'drop',
    'repeat',
    'swap',
    'set',
    'set',
    'set',
    'delete',
    'delete',
    'rename',
    'cut',
    'garble',
  ),
  line: fc.nat(1000),
  place: fc.nat(1000),
  value: fc.oneof(fc.constantFrom(...strange), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>),
})

export function mutate(lines: readonly string[], mutation: Mutation): string[] {
  const result = [...lines]
  const index = mutation.line % Math.max(1, lines.length)
  const line = result[index] ?? ''
  const other = mutation.place % Math.max(1, lines.length)
  switch (mutation.kind) {
    case 'drop':
      result.splice(index, 1)
      return result
    case 'repeat':
      result.splice(other, 0, line)
      return result
    case 'swap':
      result[index] = result[other] ?? ''
      result[other] = line
      return result
    case 'cut':
      result[index] = line.slice(0, mutation.place % (line.length + 1))
      return result
    case 'garble': {
      const at = mutation.place % (line.length + 1)
      result[index] = `${line.slice(0, at)}${String.fromCharCode(mutation.line % 128)}${line.slice(at + 1)}`
      return result
    }
    case 'set':
    case 'delete':
    case 'rename':
      result[index] = mutateJson(line, mutation)
      return result
  }
}

function mutateJson(line: string, mutation: Mutation): string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return line
  }
  const places: { holder: Record<string, unknown>; key: string }[] = []
  const visit = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return
    for (const key of Object.keys(holder)) {
      places.push({ holder: holder as Record<string, unknown>, key })
      visit((holder as Record<string, unknown>)[key])
    }
  }
  visit(value)
  const place = places[mutation.place % Math.max(1, places.length)]
  if (place === undefined) return line
  if (mutation.kind === 'set') place.holder[place.key] = mutation.value
  else {
    if (mutation.kind === 'rename') place.holder[`${place.key}x`] = place.holder[place.key]
    delete place.holder[place.key]
  }
  return JSON.stringify(value)
}
