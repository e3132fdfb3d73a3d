/** The end of the sent text of each open output, by `textKey`: the next boundaries depend on it. */
export type Tails = ReadonlyMap<string, string>

/** How many UTF-16 units of a text are kept. */
export const tailUnits = 256

/** The tails after more text of an output was sent. */
export function extendTail(tails: Tails, key: string, text: string): Tails {
  return new Map(tails).set(key, ((tails.get(key) ?? '') + text).slice(-tailUnits))
}

/** The tails after the end of an output. */
export function removeTail(tails: Tails, key: string): Tails {
  if (!tails.has(key)) return tails
  const others = new Map(tails)
  others.delete(key)
  return others
}
