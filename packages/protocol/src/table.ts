import { createRecord } from './json.ts'

interface Row<T> {
  /** Position in the order of insertion. */
  readonly n: number
  readonly value: T
}

/**
 * An immutable map from strings in plain JSON: setting a key copies one bucket and the list of buckets, so a session
 * with many calls or outputs does not turn quadratic. The row that was set last stands apart, so that a text that
 * grows costs no copy at all. Any string is a key, `__proto__` too.
 */
export interface Table<T> {
  readonly size: number
  readonly buckets: readonly Readonly<Record<string, Row<T>>>[]
  readonly last: (Row<T> & { readonly key: string }) | null
}

const rowsPerBucket = 32
const growth = 16

export function emptyTable<T>(): Table<T> {
  return { size: 0, buckets: [], last: null }
}

export function tableGet<T>(table: Table<T>, key: string): T | undefined {
  if (table.last !== null && table.last.key === key) return table.last.value
  return rowOf(table, key)?.value
}

export function tableSet<T>(table: Table<T>, key: string, value: T): Table<T> {
  const { last, size } = table
  if (last !== null && last.key === key)
    return { size, buckets: table.buckets, last: { key, n: last.n, value } }
  const row = rowOf(table, key)
  const buckets = last === null ? table.buckets : store(table, last.key, { n: last.n, value: last.value })
  return { size: row === undefined ? size + 1 : size, buckets, last: { key, n: row?.n ?? size, value } }
}

/** All values in the order in which their keys were first set. */
export function tableValues<T>(table: Table<T>): T[] {
  const { last } = table
  const rows: Row<T>[] = last === null ? [] : [last]
  for (const bucket of table.buckets)
    for (const key in bucket) if (key !== last?.key) rows.push(bucket[key] as Row<T>) // `in` gave the key
  return rows.sort((a, b) => a.n - b.n).map((row) => row.value)
}

function rowOf<T>(table: Table<T>, key: string): Row<T> | undefined {
  const bucket = table.buckets[bucketOf(key, table.buckets.length)]
  // A table that was read from JSON has buckets with a prototype.
  return bucket !== undefined && Object.hasOwn(bucket, key) ? bucket[key] : undefined
}

function store<T>(table: Table<T>, key: string, row: Row<T>): Table<T>['buckets'] {
  const isFull = table.size > table.buckets.length * rowsPerBucket
  const buckets = isFull ? grow(table.buckets) : table.buckets.slice()
  const index = bucketOf(key, buckets.length)
  const bucket = Object.assign(createRecord<Row<T>>(), buckets[index])
  bucket[key] = row
  buckets[index] = bucket
  return buckets
}

function grow<T>(before: Table<T>['buckets']): Record<string, Row<T>>[] {
  const count = Math.max(1, before.length * growth)
  const buckets = Array.from({ length: count }, () => createRecord<Row<T>>())
  for (const bucket of before) {
    for (const key in bucket) {
      const target = buckets[bucketOf(key, count)]
      const row = bucket[key]
      if (target !== undefined && row !== undefined) target[key] = row
    }
  }
  return buckets
}

function bucketOf(key: string, count: number): number {
  if (count < 2) return 0
  let hash = 2166136261
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16777619)
  return (hash >>> 0) % count
}
