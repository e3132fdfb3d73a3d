import { SluiceError } from '@sluice/protocol'
import type { Store, StoreReader } from './store.ts'

const formatKey = Buffer.from('format')
const currentFormat = 1

/** Brings a store from one format to the next; the number of the new format is written in the same transaction. */
type Migration = (store: Store) => Promise<void>

// The migration at n leads from format n to n + 1.
const migrations: ReadonlyMap<number, Migration> = new Map()

/** Undefined in a store that was never written. */
function readFormat(store: StoreReader): number | undefined {
  const value = store.get('meta', formatKey)
  return value === undefined ? undefined : Number(value.toString('utf8'))
}

/** Rejects a store that this version cannot read with `newer_data` or `damaged_data`. */
export function assertReadable(store: StoreReader): void {
  const format = readFormat(store) ?? currentFormat
  if (format > currentFormat) {
    throw new SluiceError('newer_data', { details: { format, supported: currentFormat } })
  }
  if (!Number.isInteger(format) || format < 1) throw new SluiceError('damaged_data', { details: { format } })
}

/** Makes a store one of the current format. */
export async function bringUpToDate(store: Store): Promise<void> {
  assertReadable(store)
  const format = readFormat(store)
  if (format === undefined) {
    await store.write((batch) => batch.put('meta', formatKey, Buffer.from(String(currentFormat))))
    return
  }
  for (let from = format; from < currentFormat; from++) await migrations.get(from)?.(store)
}
