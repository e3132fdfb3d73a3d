import { isJsonObject, type JsonObject, type JsonValue, nearestName } from '@sluice/protocol'
import { Compile } from 'typebox/schema'
import { describeExpectation, isDuration } from './expectation.ts'
import { membersOf, type SchemaNode, toPointer } from './settings.ts'
import { parseBytes, parseDuration } from './units.ts'

/** Called for each faulty place. */
export type Complain = (path: readonly string[], says: string) => void

/** The place of a value, and where its faults are reported. */
interface Place {
  readonly path: readonly string[]
  readonly complain: Complain
}

/**
 * Reads a value by its schema: converts amounts with a unit to numbers, and reports and drops faulty values.
 * Sections of the configuration may lack any key; objects inside lists and maps must have all required ones.
 */
export function readValue(node: SchemaNode, value: JsonValue, place: Place): JsonValue | undefined {
  const { path, complain } = place
  if (node.properties !== undefined) return readSection({ node, fields: node.properties }, value, place)
  const member = membersOf(node)
  if (member !== undefined && isJsonObject(value)) return readMap({ map: node, node: member }, value, place)
  if (node.items !== undefined && Array.isArray(value))
    return readList(node.items, value, place).filter((item) => item !== undefined)
  const name = path.at(-1) ?? ''
  const read = node.anyOf !== undefined && typeof value === 'string' ? parseAmount(name, value) : value
  if (read !== undefined && Compile(toChecked(node)).Check(read)) return read
  complain(path, `must be ${describeExpectation(node, name)}.`)
  return undefined
}

function readSection(
  { node, fields }: { readonly node: SchemaNode; readonly fields: Readonly<Record<string, SchemaNode>> },
  value: JsonValue,
  { path, complain }: Place,
): JsonValue | undefined {
  if (!isJsonObject(value)) {
    complain(path, `must be ${describeExpectation(node, path.at(-1) ?? '')}.`)
    return undefined
  }
  const read: [string, JsonValue][] = []
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) complain([...path, name], describeUnknown(path, name, Object.keys(fields)))
    else {
      const found = readValue(field, member ?? null, { path: [...path, name], complain })
      if (found !== undefined) read.push([name, found])
    }
  }
  return Object.fromEntries(read)
}

function readList(
  node: SchemaNode,
  items: readonly JsonValue[],
  { path, complain }: Place,
): readonly (JsonValue | undefined)[] {
  return items.map((item, index) => readWhole(node, item, { path: [...path, String(index)], complain }))
}

function readMap(
  { map: { propertyNames }, node }: { readonly map: SchemaNode; readonly node: SchemaNode },
  members: JsonObject,
  { path, complain }: Place,
): JsonValue {
  const pattern = new RegExp(propertyNames?.pattern ?? '', 'u')
  const read = Object.entries(members).map(([name, member]): [string, JsonValue | undefined] => {
    if (!pattern.test(name)) complain([...path, name], `must have a name of the form ${pattern.source}.`)
    return [name, readWhole(node, member ?? null, { path: [...path, name], complain })]
  })
  return Object.fromEntries(read.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined))
}

/** An object inside a list or a map must have every required key. */
function readWhole(node: SchemaNode, item: JsonValue, place: Place): JsonValue | undefined {
  if (isJsonObject(item))
    for (const name of node.required ?? [])
      if (!Object.hasOwn(item, name)) place.complain([...place.path, name], 'is missing.')
  return readValue(node, item, place)
}

function parseAmount(name: string, text: string): number | undefined {
  return isDuration(name) ? parseDuration(text) : parseBytes(text)
}

/** A parsed amount is a number, within the bounds of the schema's integer. */
function toChecked(node: SchemaNode): SchemaNode {
  return node.anyOf?.find(({ type }) => type === 'integer') ?? node
}

function describeUnknown(path: readonly string[], name: string, names: readonly string[]): string {
  const near = nearestName(name, names)
  const hint =
    near === undefined
      ? `The keys here are ${names.join(', ')}.`
      : `Did you mean ${toPointer([...path, near])}?`
  return `is no key of the configuration. ${hint}`
}
