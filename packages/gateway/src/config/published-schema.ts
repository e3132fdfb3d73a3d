import { isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'
import { defaultConfig } from './config.ts'
import { filledSchema } from './schema.ts'

const { properties, ...rest } = toOptional(toJson(filledSchema), toJson(defaultConfig))

/** The JSON Schema (2020-12) of a configuration file: every setting is optional, and states its default. */
export const configSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:sluice:schema:config',
  title: 'Sluice configuration',
  ...rest,
  properties: { $schema: { type: 'string', description: 'The address of this schema.' }, ...properties },
}

/** The section with defaults instead of required keys. */
function toOptional(
  section: JsonObject,
  defaults: JsonObject,
): JsonObject & { readonly properties: JsonObject } {
  const { required: _, properties, ...rest } = section
  const fields = Object.entries(isJsonObject(properties) ? properties : {})
  const described = fields.map(([name, field = {}]): [string, JsonValue] => {
    const value = defaults[name]
    // A section without defaults, such as tls, must be given in full or not at all.
    if (!isJsonObject(field) || value === undefined) return [name, field]
    return [name, isJsonObject(value) ? toOptional(field, value) : { ...field, default: value }]
  })
  return { ...rest, properties: Object.fromEntries(described) }
}

function toJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject // an object of plain data
}
