import { differences } from './dialect-pages.ts'
import { rowsOf, sectionOf } from './markdown.ts'

/** The part of a JSON Schema that names the fields of an object. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[] | undefined
}

interface ExpectedFields {
  readonly schema: ObjectSchema
  readonly except?: readonly string[] | undefined
}

/** Fields that the section of this title lists and the schema lacks, or the other way round. */
export function fieldFaults(
  markdown: string,
  title: string,
  { schema, except = [] }: ExpectedFields,
): readonly string[] {
  const real = Object.keys(schema.properties)
    .filter((name) => !except.includes(name))
    .map((name) => (schema.required?.includes(name) ? name : `${name}?`))
  const told = rowsOf(sectionOf(markdown, title) ?? '').map((row) => row['field'] ?? '')
  return differences(real, told).map((fault) => `${title}: ${fault}`)
}
