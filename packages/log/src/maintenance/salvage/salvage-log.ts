import { putFormat } from '../../drivers/lmdb/format.ts'
import { readSeqKey } from '../../drivers/lmdb/keys.ts'
import { createSlices, type Slices } from '../../drivers/lmdb/slices.ts'
import { openStore, type Store } from '../../drivers/lmdb/store.ts'
import { createTailFile, listTailFiles } from '../../drivers/lmdb/tail-file.ts'
import { putTailPlace, type TailPlace } from '../../drivers/lmdb/tail-place.ts'
import { upgradeChunk } from '../../drivers/lmdb/upgrade-chunk.ts'
import type { OnLoss } from '../log-loss.ts'
import { addCommits } from './add-commits.ts'
import { type FileRow, placeIn, readFileRows } from './file-rows.ts'
import { rebuildHeads } from './rebuild-heads.ts'
import { readAnyCommits } from './tail-commits.ts'

/**
 * Writes everything that can be read of a log into an empty directory, as a whole log, and reports what is
 * lost. Only reads the directory.
 */
export async function salvageLog(directory: string, target: string, onLoss: OnLoss): Promise<void> {
  const store = openStore(target, { create: true })
  try {
    await store.write(putFormat)
    const { place, tableCommits } = await copyRows(store, readFileRows(directory, onLoss))
    await rebuildHeads(store, onLoss)
    await addCommits(store, tableCommits, onLoss)
    await addCommits(store, readAnyCommits(directory, { place, onLoss }), onLoss)
    // Everything that is lost was reported before.
    await rebuildHeads(store, () => {})
    const number = ((await listTailFiles(directory)).at(-1) ?? 0) + 1
    const file = await createTailFile(target, number)
    await file.close()
    const next = { file: number, commit: 0, salt: file.salt }
    await store.write((batch) => putTailPlace(batch, next))
  } finally {
    await store.close()
  }
}

interface Copied {
  readonly place: TailPlace | undefined
  /** The commits that a store of format 1 kept in a table. */
  readonly tableCommits: readonly Buffer[]
}

async function copyRows(store: Store, rows: Iterable<FileRow>): Promise<Copied> {
  const slices = createSlices(store)
  const tableCommits: Buffer[] = []
  let found: { readonly place: TailPlace; readonly from: number } | undefined
  const strays = new Map<string, number>()
  let treeTransaction = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const { table, key, value, transaction } = row
    if (!row.isStray) treeTransaction = transaction
    if (table === 'tail') tableCommits.push(Buffer.from(value))
    else if (table === 'meta') {
      const place = placeIn(row)
      if (place !== undefined && transaction > (found?.from ?? Number.NEGATIVE_INFINITY))
        found = { place, from: transaction }
    } else if (await isNewest(row, { slices, strays, treeTransaction })) {
      if (table === 'records')
        upgradeChunk(slices, { ...readSeqKey(key), chunk: value, isChecked: row.isChecked })
      else slices.put(table, key, value)
    }
    await slices.flushIfFull()
  }
  await slices.flush()
  return { place: found?.place, tableCommits }
}

interface Known {
  readonly slices: Slices
  /** The transactions of rows that no tree leads to. */
  readonly strays: Map<string, number>
  readonly treeTransaction: number
}

/** Whether no later row with this key was found. */
async function isNewest(row: FileRow, { slices, strays, treeTransaction }: Known): Promise<boolean> {
  const { table, key, transaction, isStray } = row
  // Rows that a tree leads to come first.
  if (!isStray) return true
  const id = `${table} ${key.toString('hex')}`
  let known = strays.get(id)
  if (known === undefined) {
    await slices.flush()
    known = slices.has(table, key) ? treeTransaction : Number.NEGATIVE_INFINITY
  }
  if (known >= transaction) return false
  strays.set(id, transaction)
  return true
}
