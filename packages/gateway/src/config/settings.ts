import { filledSchema } from './schema.ts'

/** The part of JSON Schema that the configuration uses. */
export interface SchemaNode {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  /** The form of the members of a map; `false` in a section. */
  readonly additionalProperties?: SchemaNode | boolean
  readonly propertyNames?: { readonly pattern: string }
  readonly anyOf?: readonly SchemaNode[]
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** One thing that can be configured, and its names. */
export interface Setting {
  readonly path: readonly string[]
  /** As a JSON pointer, such as `/limits/eventBytes`. */
  readonly pointer: string
  /** Such as `limits-event-bytes`. */
  readonly flag: string
  /** Such as `SLUICE_LIMITS_EVENT_BYTES`. */
  readonly variable: string
  readonly schema: SchemaNode
}

export const rootNode: SchemaNode = filledSchema as object // TypeBox builds JSON Schemas

/** Every setting, in the order of the schema. */
export const settings: readonly Setting[] = settingsIn(rootNode, [])

/** The form of a map's members, whose names the user chooses. */
export function membersOf({ additionalProperties }: SchemaNode): SchemaNode | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** The JSON pointer of a place. */
export function toPointer(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function settingsIn(node: SchemaNode, path: readonly string[]): readonly Setting[] {
  if (node.properties !== undefined)
    return Object.entries(node.properties).flatMap(([name, field]) => settingsIn(field, [...path, name]))
  const flag = path.map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)).join('-')
  const variable = `SLUICE_${flag.replaceAll('-', '_').toUpperCase()}`
  return [{ path, pointer: toPointer(path), flag, variable, schema: node }]
}
