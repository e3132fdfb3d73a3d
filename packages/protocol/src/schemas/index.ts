import { dialects } from '../dialects/index.ts'

/** Every published JSON Schema (2020-12), by dialect and name. */
export const schemas: Readonly<Record<string, Readonly<Record<string, object>>>> = Object.fromEntries(
  dialects.map((dialect) => [dialect.id, dialect.schemas]),
)

export { eventSchemas } from './event-schema.ts'
