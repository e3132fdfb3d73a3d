import { Compile } from 'typebox/schema'
import type { Finding } from '../finding.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { isJsonObject } from '../json.ts'

/**
 * Checks values against a schema in two ways: strictly for what Sluice sends, openly for what it receives.
 */
export interface Checker {
  /** Strictly valid. */
  isExact(value: unknown): boolean
  /** What is invalid even in the open check, where unknown fields and enum values pass. */
  findings(value: unknown): readonly Finding[]
  /** What is not strictly valid. */
  exactFindings(value: unknown): readonly Finding[]
}

/** Creates the checker of a schema; findings name `rule`, such as `AAEP §4.3.3`. */
export function createChecker(schema: object, rule: string): Checker {
  const strict = schema as JsonObject // a JSON Schema is a JSON object
  // Compiling takes a millisecond and there are many schemas, so each is compiled on first use.
  const exact = once(() => Compile(strict))
  const open = once(() => Compile(toOpen(strict) as JsonObject))
  const list = (validator: ReturnType<typeof exact>, value: unknown): readonly Finding[] => {
    if (validator.Check(value)) return []
    const [, errors] = validator.Errors(value) // the validator stops after eight
    return errors.flatMap((error) => toFindings(error, rule))
  }
  return {
    isExact: (value) => exact().Check(value),
    findings: (value) => list(open(), value),
    exactFindings: (value) => list(exact(), value),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The schema with its closed objects and enums opened: dialects grow by adding fields and values. */
function toOpen(schema: JsonValue | undefined): JsonValue {
  if (Array.isArray(schema)) return schema.map(toOpen)
  if (!isJsonObject(schema)) return schema ?? null
  const open: Record<string, JsonValue> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'additionalProperties' && value === false) continue
    if (key === 'enum' && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
      open['type'] = 'string'
      continue
    }
    open[key] = toOpen(value)
  }
  return open
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
}

function toFindings(error: SchemaError, rule: string): readonly Finding[] {
  const { keyword, instancePath: path } = error
  const params = error.params as Readonly<Record<string, unknown>> // the validator's own, never the input
  const names = params['requiredProperties']
  if (keyword === 'required' && Array.isArray(names)) {
    return names.map((name) => ({
      code: 'missing_field',
      path: `${path}/${String(name)}`,
      message: 'A required field is missing.',
      rule,
    }))
  }
  const known = schemaCodes[keyword]
  if (known === undefined)
    return [{ code: 'wrong_shape', path, message: 'The value has not the expected form.', rule }]
  const limit = params['limit'] ?? params['type'] ?? params['pattern']
  const detail = typeof limit === 'string' || typeof limit === 'number' ? ` (${limit})` : ''
  return [{ code: known.code, path, message: `${known.sentence}${detail}`, rule }]
}

/** The finding codes for schema keywords. Messages name bounds, never values. */
export const schemaCodes: Readonly<Record<string, { readonly code: string; readonly sentence: string }>> = {
  type: { code: 'wrong_type', sentence: 'The value is of the wrong type.' },
  const: { code: 'wrong_value', sentence: 'The value must be the one that the dialect fixes.' },
  enum: { code: 'unknown_value', sentence: 'The value is not one of those that the dialect names.' },
  pattern: { code: 'wrong_pattern', sentence: 'The text does not match the pattern of its field.' },
  format: { code: 'wrong_format', sentence: 'The text is not of the form that its field needs.' },
  minLength: { code: 'too_short', sentence: 'The text is shorter than its field allows.' },
  maxLength: { code: 'too_long', sentence: 'The text is longer than its field allows.' },
  minimum: { code: 'out_of_range', sentence: 'The number is too small.' },
  maximum: { code: 'out_of_range', sentence: 'The number is too large.' },
  minItems: { code: 'too_few_items', sentence: 'The list has too few items.' },
  maxItems: { code: 'too_many_items', sentence: 'The list has too many items.' },
  uniqueItems: { code: 'repeated_item', sentence: 'The list holds an item twice.' },
  additionalProperties: {
    code: 'unexpected_field',
    sentence: 'The object has a field that the dialect does not allow.',
  },
}
