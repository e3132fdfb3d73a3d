/**
 * `{ ...first, ...second }`. V8 takes 2 µs to add fields to a copy; filling an empty object with the same fields takes
 * 0.1 µs.
 */
export function joinFields<A extends object, B extends object>(first: A, second: B): Omit<A, keyof B> & B {
  const joined: Record<string, unknown> = {}
  addFields(joined, first)
  addFields(joined, second)
  return joined as Omit<A, keyof B> & B // the fields of both
}

/** Adds the fields of `source` to an object without those that `except` names. */
export function addFields(
  target: Record<string, unknown>,
  source: object,
  except: ReadonlySet<string> = nothing,
): void {
  const fields = source as Readonly<Record<string, unknown>> // only read
  for (const key in fields) {
    if (except.has(key)) continue
    // An assignment would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(target, key, {
        value: fields[key],
        writable: true,
        enumerable: true,
        configurable: true,
      })
    else target[key] = fields[key]
  }
}

const nothing: ReadonlySet<string> = new Set()
