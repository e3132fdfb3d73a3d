import { createRecord } from './json.ts'

interface Row<T> {
  /** Position in insertion order. */
  readonly n: number
  readonly value: T
}

/**
 * An immutable map from strings, in plain JSON. Setting a key copies one bucket and the list of buckets, so a
 * session with many calls or outputs does not turn quadratic. The row that was set last is kept apart, so
 * that a growing text costs no copy at all. Any string can be a key, even `__proto__`.
 */
export interface Table<T> {
  readonly size: number
  /** How many keys were ever set; the number of the next one. */
  readonly next: number
  readonly buckets: readonly Readonly<Record<string, Row<T>>>[]
  readonly last: (Row<T> & { readonly key: string }) | null
}

const rowsPerBucket = 32
const growth = 16

export function emptyTable<T>(): Table<T> {
  return { size: 0, next: 0, buckets: [], last: null }
}

export function tableGet<T>(table: Table<T>, key: string): T | undefined {
  if (table.last !== null && table.last.key === key) return table.last.value
  return rowOf(table, key)?.value
}

export function tableSet<T>(table: Table<T>, key: string, value: T): Table<T> {
  const { last, size, next } = table
  if (last !== null && last.key === key)
    return { size, next, buckets: table.buckets, last: { key, n: last.n, value } }
  const row = rowOf(table, key)
  const buckets = last === null ? table.buckets : store(table, last.key, { n: last.n, value: last.value })
  return row === undefined
    ? { size: size + 1, next: next + 1, buckets, last: { key, n: next, value } }
    : { size, next, buckets, last: { key, n: row.n, value } }
}

/**
 * A table with changed values, in the order in which their keys were first set; a row for which `change` answers
 * undefined is forgotten, but its number is not given out again.
 */
export function tableMap<T>(table: Table<T>, change: (value: T) => T | undefined): Table<T> {
  const rows: [key: string, row: Row<T>][] = []
  for (const { key, n, value } of rowsOf(table)) {
    const changed = change(value)
    if (changed !== undefined) rows.push([key, { n, value: changed }])
  }
  let count = 0
  while (rows.length > count * rowsPerBucket) count = Math.max(1, count * growth)
  const buckets = Array.from({ length: count }, () => createRecord<Row<T>>())
  for (const [key, row] of rows) {
    const bucket = buckets[bucketOf(key, count)]
    if (bucket !== undefined) bucket[key] = row
  }
  return { size: rows.length, next: table.next, buckets, last: null }
}

/** All values in the order in which their keys were first set. */
export function tableValues<T>(table: Table<T>): T[] {
  return rowsOf(table).map((row) => row.value)
}

/** The sum of a number over all values. */
export function tableSum<T>({ last, buckets }: Table<T>, numberOf: (value: T) => number): number {
  let sum = last === null ? 0 : numberOf(last.value)
  for (const bucket of buckets)
    for (const key in bucket) {
      const row = bucket[key]
      if (row !== undefined && key !== last?.key) sum += numberOf(row.value)
    }
  return sum
}

/** The values of some keys, in the order of the keys. */
export function tablePick<T>(table: Table<T>, keys: readonly string[]): T[] {
  return keys.flatMap((key) => tableGet(table, key) ?? [])
}

/** Whether a value of any of these keys fulfils a condition. */
export function tableSome<T>(
  table: Table<T>,
  keys: readonly string[],
  fulfils: (value: T) => boolean,
): boolean {
  return keys.some((key) => {
    const value = tableGet(table, key)
    return value !== undefined && fulfils(value)
  })
}

function rowsOf<T>(table: Table<T>): (Row<T> & { readonly key: string })[] {
  const { last } = table
  const rows = last === null ? [] : [last]
  for (const bucket of table.buckets)
    for (const key in bucket) {
      const row = bucket[key]
      if (row !== undefined && key !== last?.key) rows.push({ key, n: row.n, value: row.value })
    }
  return rows.sort((a, b) => a.n - b.n)
}

function rowOf<T>(table: Table<T>, key: string): Row<T> | undefined {
  const bucket = table.buckets[bucketOf(key, table.buckets.length)]
  // Buckets of a table that was read from JSON have a prototype.
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
