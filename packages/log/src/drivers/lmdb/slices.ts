import type { Store, StoreBatch } from './store.ts'
import type { TableName } from './table-name.ts'

const sliceBytes = 4 * 1024 * 1024
const rowBytes = 64

/** Writes any number of rows to a store in transactions of a few megabytes. */
export interface Slices extends StoreBatch {
  /** Whether the store has the row; rows that are not flushed do not count. */
  has(table: TableName, key: Buffer): boolean
  flush(): Promise<void>
  flushIfFull(): Promise<void>
}

export function createSlices(store: Store): Slices {
  let changes: ((batch: StoreBatch) => void)[] = []
  let bytes = 0

  function add(size: number, change: (batch: StoreBatch) => void): void {
    changes.push(change)
    bytes += rowBytes + size
  }

  async function flush(): Promise<void> {
    const slice = changes
    changes = []
    bytes = 0
    if (slice.length === 0) return
    await store.write((batch) => {
      for (const change of slice) change(batch)
    })
  }

  return {
    put: (table, key, value) => add(value.length, (batch) => batch.put(table, key, value)),
    remove: (table, key) => add(0, (batch) => batch.remove(table, key)),
    has: (table, key) => store.get(table, key) !== undefined,
    flush,
    flushIfFull: async () => {
      if (bytes >= sliceBytes) await flush()
    },
  }
}
