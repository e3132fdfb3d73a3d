/**
 * Replaces every schema that has an `$id` with a reference to the component of this name, and adds the
 * component to `named`. @fastify/swagger would do the same, but not inside `content`, and it rewrites
 * `patternProperties`.
 */
export function nameSchemas<Value>(value: Value, named: Map<string, object>): Value {
  return replace(value, named) as Value // a reference stands for the schema that it replaces
}

function replace(value: unknown, named: Map<string, object>): unknown {
  if (Array.isArray(value)) return value.map((each) => replace(each, named))
  if (typeof value !== 'object' || value === null) return value
  const { $id, ...schema }: { readonly $id?: unknown } = value
  if (typeof $id === 'string' && named.has($id)) return toReference($id)
  const replaced = Object.fromEntries(
    Object.entries(schema).map(([key, each]) => [key, replace(each, named)]),
  )
  if (typeof $id !== 'string') return replaced
  named.set($id, replaced)
  return toReference($id)
}

const toReference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
