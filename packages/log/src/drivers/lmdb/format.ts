import { SluiceError } from '@sluice/protocol'
import { everyKey } from './keys.ts'
import { planRegroup } from './regroup.ts'
import type { Store, StoreBatch, StoreReader } from './store.ts'
import { loadTail } from './tail.ts'
import { createTailFile, listTailFiles } from './tail-file.ts'
import { putTailPlace, type TailPlace } from './tail-place.ts'

const formatKey = Buffer.from('format')
const currentFormat = 2

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

/** Initializes or upgrades a store to the current format, in one transaction. */
export async function bringUpToDate(store: Store, directory: string): Promise<void> {
  assertReadable(store)
  const format = readFormat(store)
  if (format === undefined) {
    const place = await beginTail(directory)
    await store.write((batch) => {
      putTailPlace(batch, place)
      putFormat(batch)
    })
  } else if (format === 1) await leaveTailTable(store, await beginTail(directory))
}

/** The commits that a store of format 1 keeps in the table `tail`, in order. */
export function* tailTableChunks(store: StoreReader): Generator<Buffer> {
  for (const { value } of store.rows('tail')) yield value
}

async function leaveTailTable(store: Store, place: TailPlace): Promise<void> {
  const regroup = planRegroup(store, loadTail(store, tailTableChunks(store)), { place })
  await store.write(async (batch) => {
    await regroup.fill(batch)
    for (const key of store.keys('tail', everyKey)) batch.remove('tail', key)
    putFormat(batch)
  })
}

// The file exists before the store names it, so a file that is missing later means damage.
async function beginTail(directory: string): Promise<TailPlace> {
  const number = ((await listTailFiles(directory)).at(-1) ?? 0) + 1
  const file = await createTailFile(directory, number)
  await file.close()
  return { file: number, commit: 0 }
}

function putFormat(batch: StoreBatch): void {
  batch.put('meta', formatKey, Buffer.from(String(currentFormat)))
}
