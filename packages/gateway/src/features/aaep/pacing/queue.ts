/**
 * An immutable queue whose ends can be replaced. The first and last items are kept apart; the others are a
 * part of an array that successive queues share: adding appends to the array unless another queue has done
 * so, removing moves `from`. So every operation takes constant time on average, and an earlier queue never
 * changes.
 */
export interface Queue<T> {
  readonly first: T | undefined
  /** Undefined while there are fewer than two items. */
  readonly last: T | undefined
  /**
   * The items between them are `inner[from]` to `inner[to - 1]`. Only `enqueue()` writes to it, from `to`
   * onwards.
   */
  readonly inner: T[]
  readonly from: number
  readonly to: number
}

export function emptyQueue<T>(): Queue<T> {
  return { first: undefined, last: undefined, inner: [], from: 0, to: 0 }
}

export function sizeOf<T>({ first, last, from, to }: Queue<T>): number {
  if (first === undefined) return 0
  return last === undefined ? 1 : to - from + 2
}

/** The item at `index`, counted from the first. */
export function itemAt<T>({ first, last, inner, from, to }: Queue<T>, index: number): T | undefined {
  if (index === 0) return first
  const at = from + index - 1
  if (at < to) return inner[at]
  return at === to ? last : undefined
}

export function lastOf<T>({ first, last }: Queue<T>): T | undefined {
  return last ?? first
}

export function itemsOf<T>({ first, last, inner, from, to }: Queue<T>): readonly T[] {
  if (first === undefined) return []
  return last === undefined ? [first] : [first, ...inner.slice(from, to), last]
}

export function enqueue<T>(queue: Queue<T>, item: T): Queue<T> {
  const { first, last, inner, from, to } = queue
  if (first === undefined) return { first: item, last, inner, from, to }
  if (last === undefined) return { first, last: item, inner, from, to }
  if (inner.length !== to)
    return { first, last: item, inner: [...inner.slice(from, to), last], from: 0, to: to - from + 1 }
  inner.push(last)
  return { first, last: item, inner, from, to: to + 1 }
}

/** The queue without its first item. */
export function dequeue<T>({ last, inner, from, to }: Queue<T>): Queue<T> {
  if (from === to) return { first: last, last: undefined, inner: [], from: 0, to: 0 }
  const first = inner[from]
  const next = from + 1
  // Removed items stay in the array; it is copied when they are more than half of it.
  if (2 * next <= to) return { first, last, inner, from: next, to }
  return { first, last, inner: inner.slice(next, to), from: 0, to: to - next }
}

export function withFirst<T>({ last, inner, from, to }: Queue<T>, first: T): Queue<T> {
  return { first, last, inner, from, to }
}

export function withLast<T>({ first, last, inner, from, to }: Queue<T>, item: T): Queue<T> {
  return last === undefined ? { first: item, last, inner, from, to } : { first, last: item, inner, from, to }
}
