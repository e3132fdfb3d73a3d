import { existsSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { damagedData } from './damage.ts'
import { assertKnownFormat, currentFormat, formatRows, isFormatKey } from './format-row.ts'
import { readSeqKey } from './keys.ts'
import { planRegroup } from './regroup.ts'
import { createSlices } from './slices.ts'
import { openStore, type Store, type StoreBatch, type StoreReader, storeFile } from './store.ts'
import { tableNames } from './table-name.ts'
import { loadTail } from './tail.ts'
import { createTailFile, fileHeadBytes, listTailFiles, syncDirectory, tailFileName } from './tail-file.ts'
import { putTailPlace, type TailPlace } from './tail-place.ts'
import { upgradeChunk } from './upgrade-chunk.ts'

/** Where a store is written before it replaces another one. */
export const draftFile = `${storeFile}.draft`

/** Rejects a store that this version cannot read with `newer_data`. */
export function assertReadable(store: StoreReader): void {
  assertKnownFormat(store.format)
}

/**
 * Opens the store of a data directory for its owner: begins it if the directory has none, and rewrites one of
 * an older format. Rejects with `damaged_data` if there was a store, with `newer_data`, and when the disk has
 * no room for a rewritten one.
 */
export async function openOwnStore(directory: string): Promise<Store> {
  await removeDraft(directory)
  if (!existsSync(join(directory, storeFile))) {
    await assertNeverWritten(directory)
    await beginStore(directory)
  }
  const store = openStore(directory)
  try {
    assertReadable(store)
    if (store.format === undefined) await initialize(store, directory)
    if (store.format === undefined || store.format === currentFormat) return store
    await upgrade(store, directory)
  } catch (error) {
    await store.close()
    throw error
  }
  await store.close()
  await putDraftInPlace(directory)
  return openStore(directory)
}

/** Removes what a crash left of a draft. */
async function removeDraft(directory: string): Promise<void> {
  for (const name of [draftFile, `${draftFile}-lock`]) await rm(join(directory, name), { force: true })
}

/** Replaces the store with its draft, durably and in one step. */
export async function putDraftInPlace(directory: string): Promise<void> {
  await syncFile(join(directory, draftFile))
  await rename(join(directory, draftFile), join(directory, storeFile))
  await rm(join(directory, `${draftFile}-lock`), { force: true })
  await syncDirectory(directory)
}

/** The commits that a store of format 1 keeps in the table `tail`, in order. */
export function* tailTableChunks(store: StoreReader): Generator<Buffer> {
  for (const { value } of store.rows('tail')) yield value
}

/** Throws `damaged_data` if tail files show that there was a store. */
export async function assertNeverWritten(directory: string): Promise<void> {
  const numbers = await listTailFiles(directory)
  // The first file is made before the store names it. Every later one, and every commit, comes after that.
  const sizes = await Promise.all(numbers.map((number) => stat(join(directory, tailFileName(number)))))
  if (numbers.some((number) => number > 1) || sizes.some(({ size }) => size > fileHeadBytes))
    throw damagedData(`${storeFile} is missing or empty, and there are files of the tail.`)
}

async function beginStore(directory: string): Promise<void> {
  const store = openStore(directory, { file: draftFile, create: true })
  try {
    await initialize(store, directory)
  } finally {
    await store.close()
  }
  await putDraftInPlace(directory)
}

async function initialize(store: Store, directory: string): Promise<void> {
  await assertNeverWritten(directory)
  // Left by a crash, and without a commit.
  await rm(join(directory, tailFileName(1)), { force: true })
  const place = await beginTail(directory)
  await store.write((batch) => {
    putTailPlace(batch, place)
    putFormat(batch)
  })
}

/** Writes the draft of a store in the current format. */
async function upgrade(store: Store, directory: string): Promise<void> {
  const draft = openStore(directory, { file: draftFile, create: true })
  try {
    await draft.write(putFormat)
    await copyRows(store, draft)
    if (store.format === 1) {
      const tail = loadTail(draft, tailTableChunks(store))
      await draft.write(planRegroup(draft, tail, { place: await beginTail(directory) }).fill)
    }
  } finally {
    await draft.close()
  }
}

async function copyRows(store: Store, draft: Store): Promise<void> {
  const slices = createSlices(draft)
  for (const table of tableNames) {
    if (table === 'tail') continue
    for (const { key, value } of store.rows(table)) {
      if (table === 'records') upgradeChunk(slices, { ...readSeqKey(key), chunk: value, isChecked: false })
      else if (table !== 'meta' || !isFormatKey(key)) slices.put(table, key, value)
      await slices.flushIfFull()
    }
  }
  await slices.flush()
}

// The file exists before the store names it, so a file that is missing later means damage.
async function beginTail(directory: string): Promise<TailPlace> {
  const number = ((await listTailFiles(directory)).at(-1) ?? 0) + 1
  const file = await createTailFile(directory, number)
  await file.close()
  return { file: number, commit: 0, salt: file.salt }
}

export function putFormat(batch: StoreBatch): void {
  for (const { key, value } of formatRows()) batch.put('meta', key, value)
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
