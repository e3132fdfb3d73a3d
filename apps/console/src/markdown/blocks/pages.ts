/**
 * A sequence that grows at its end, in pages of a fixed size: adding a value copies only the last page, and
 * all pages before it stay the same objects.
 */
export type Pages<T> = readonly (readonly T[])[]

const pageSize = 32

/** `pages` with one more value at the end. */
export function addToPages<T>(pages: Pages<T>, value: T): Pages<T> {
  const last = pages.at(-1)
  if (last === undefined || last.length === pageSize) return [...pages, [value]]
  return [...pages.slice(0, -1), [...last, value]]
}
