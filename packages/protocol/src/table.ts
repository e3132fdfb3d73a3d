import { createRecord } from './json.ts'

interface Row<T> {
  /** Position in the order of insertion. */
  readonly n: number
  readonly value: T
}

/**
 * An immutable map from strings in plain JSON: setting a key copies one bucket and the list of buckets, so a session
 * with many calls or outputs does not turn quadratic. Any string is a key, `__proto__` too.
 */
export interface Table<T> {
  readonly size: number
  readonly buckets: readonly Readonly<Record<string, Row<T>>>[]
}

const rowsPerBucket = 32
const growth = 16

export function emptyTable<T>(): Table<T> {
  return { size: 0, buckets: [] }
}

export function tableGet<T>(table: Table<T>, key: string): T | undefined {
  const bucket = table.buckets[bucketOf(key, table.buckets.length)]
  // A table that was read from JSON has buckets with a prototype.
  return bucket !== undefined && Object.hasOwn(bucket, key) ? bucket[key]?.value : undefined
}

export function tableSet<T>(table: Table<T>, key: string, value: T): Table<T> {
  const index = bucketOf(key, table.buckets.length)
  const known = table.buckets[index]
  const row = known !== undefined && Object.hasOwn(known, key) ? known[key] : undefined
  if (row === undefined && table.size >= table.buckets.length * rowsPerBucket) {
    return tableSet(grow(table), key, value)
  }
  const bucket = copyOf(known)
  bucket[key] = { n: row?.n ?? table.size, value }
  const buckets = table.buckets.slice()
  buckets[index] = bucket
  return { size: row === undefined ? table.size + 1 : table.size, buckets }
}

/** All values in the order in which their keys were first set. */
export function tableValues<T>(table: Table<T>): T[] {
  const rows: Row<T>[] = []
  for (const bucket of table.buckets) for (const key in bucket) rows.push(bucket[key] as Row<T>) // `in` gave the key
  return rows.sort((a, b) => a.n - b.n).map((row) => row.value)
}

function grow<T>(table: Table<T>): Table<T> {
  const count = Math.max(1, table.buckets.length * growth)
  const buckets = Array.from({ length: count }, () => createRecord<Row<T>>())
  for (const bucket of table.buckets) {
    for (const key in bucket) {
      const target = buckets[bucketOf(key, count)]
      const row = bucket[key]
      if (target !== undefined && row !== undefined) target[key] = row
    }
  }
  return { size: table.size, buckets }
}

function copyOf<T>(bucket: Readonly<Record<string, Row<T>>> | undefined): Record<string, Row<T>> {
  return Object.assign(createRecord<Row<T>>(), bucket)
}

function bucketOf(key: string, count: number): number {
  if (count < 2) return 0
  let hash = 2166136261
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16777619)
  return (hash >>> 0) % count
}
