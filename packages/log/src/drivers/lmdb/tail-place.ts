import { parseRow } from './damage.ts'
import type { StoreBatch, StoreReader } from './store.ts'

/** Where the tail begins: the first file that the tables have not taken in, and the number of its first commit. */
export interface TailPlace {
  readonly file: number
  readonly commit: number
  /** The salt of the file, in case its beginning is damaged; logs before format 3 did not keep it. */
  readonly salt?: number
}

const placeKey = Buffer.from('tail')

/** Undefined in a store of format 1, which keeps its tail in a table. */
export function readTailPlace(store: StoreReader): TailPlace | undefined {
  const bytes = store.get('meta', placeKey)
  return bytes === undefined
    ? undefined
    : parseRow<TailPlace>(bytes, 'log.mdb: the place of the tail cannot be read.')
}

export function putTailPlace(batch: StoreBatch, place: TailPlace): void {
  batch.put('meta', placeKey, Buffer.from(JSON.stringify(place), 'utf8'))
}
