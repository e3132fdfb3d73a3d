import type { StoreBatch, StoreReader } from './store.ts'

/** Where the tail begins: the first file that the tables have not taken in, and the number of its first commit. */
export interface TailPlace {
  readonly file: number
  readonly commit: number
}

const placeKey = Buffer.from('tail')

/** Undefined in a store of format 1, which keeps its tail in a table. */
export function readTailPlace(store: StoreReader): TailPlace | undefined {
  const bytes = store.get('meta', placeKey)
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString('utf8')) as TailPlace) // from putTailPlace()
}

export function putTailPlace(batch: StoreBatch, place: TailPlace): void {
  batch.put('meta', placeKey, Buffer.from(JSON.stringify(place), 'utf8'))
}
