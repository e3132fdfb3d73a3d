import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { omitUndefined } from '@sluice/protocol'
import { parseRow } from '../../drivers/lmdb/damage.ts'
import { isFormatKey, readFormat } from '../../drivers/lmdb/format-row.ts'
import { readSeqKey } from '../../drivers/lmdb/keys.ts'
import { openAnyPages, type PageFile } from '../../drivers/lmdb/pages/page-file.ts'
import { type LeafRow, readAnyRows, readValue } from '../../drivers/lmdb/pages/read-page.ts'
import { readFreePages } from '../../drivers/lmdb/pages/read-pages.ts'
import { createPageMap, walkTree } from '../../drivers/lmdb/pages/walk-tree.ts'
import { rowPlace } from '../../drivers/lmdb/row-place.ts'
import { unsealValue } from '../../drivers/lmdb/seal.ts'
import { readSessionChunk } from '../../drivers/lmdb/session-chunk.ts'
import { storeFile } from '../../drivers/lmdb/store.ts'
import { type TableName, tableNames } from '../../drivers/lmdb/table-name.ts'
import type { TailPlace } from '../../drivers/lmdb/tail-place.ts'
import type { OnLoss } from '../log-loss.ts'

/** A row of a damaged store, checked as far as its format allows. */
export interface FileRow {
  readonly table: TableName
  readonly key: Buffer
  /** Without its seal. */
  readonly value: Buffer
  /** Values of this store have checks. */
  readonly isChecked: boolean
  /** The transaction that it is from. Of two rows with the same key, the later one holds. */
  readonly transaction: number
  /** No tree leads to it. */
  readonly isStray: boolean
}

/**
 * All rows of a store's file that can be read, without lmdb, which would crash: those of its trees, then those
 * in pages that no tree leads to any more.
 */
export function* readFileRows(directory: string, onLoss: OnLoss): Generator<FileRow> {
  const path = join(directory, storeFile)
  const lose = (message: string, bytes?: number) =>
    onLoss({ file: storeFile, message, ...omitUndefined({ bytes }) })
  const file = existsSync(path) ? openAnyPages(path) : undefined
  if (file === undefined) {
    lose(existsSync(path) ? 'the file is empty' : 'the file is missing')
    return
  }
  try {
    yield* rowsOf(file, { lose, onLoss })
  } finally {
    file.close()
  }
}

/** Pages that are free, and so out of date, look like lost ones then. */
const staleNotice =
  'the list of free pages cannot be read, so sessions that were deleted may be there again, and marks are missing'

interface Reports {
  readonly lose: (message: string, bytes?: number) => void
  readonly onLoss: OnLoss
}

function* rowsOf(file: PageFile, { lose, onLoss }: Reports): Generator<FileRow> {
  const reached = createPageMap(file.endPage)
  const broken = new Set<number>()
  const onDamage = (page: number, what: string) => {
    // The totals of a tree are wrong whenever one of its pages is.
    if (what.startsWith('its tree')) return
    broken.add(page)
    lose(`page ${page}: ${what}`, file.pageBytes)
  }
  if (file.main.root === undefined) lose('its first two pages cannot be read, or say that it is empty')
  const walk = { file, taken: reached, isOrdered: true, onDamage }
  const free = readFreePages(file, reached, onDamage)
  const hasFreeList = broken.size === 0 && file.main.root !== undefined
  if (!hasFreeList) lose(staleNotice)
  const trees = [...walkTree(file.main, walk)].flatMap(({ row: { key, tree } }) => {
    const name = key.toString('latin1').replace(/\0$/, '')
    const table = tableNames.find((known) => known === name)
    return table === undefined || tree === undefined ? [] : [{ table, tree }]
  })
  const isChecked = !isOldFormat(file, trees.find(({ table }) => table === 'meta')?.tree)
  for (const { table, tree } of trees) {
    for (const { row } of walkTree(tree, walk)) {
      const value = readValue(file, row)
      const opened = value === undefined ? undefined : openValue({ table, key: row.key, value, isChecked })
      if (opened !== undefined) {
        yield { table, key: row.key, value: opened, isChecked, transaction: file.transaction, isStray: false }
        continue
      }
      const { what, ...place } = rowPlace(table, row.key)
      const { session, seq } = place
      onLoss({
        file: storeFile,
        bytes: value?.length ?? 0,
        message: `${what} cannot be read`,
        ...omitUndefined({ session, fromSeq: seq }),
      })
    }
  }
  if (isChecked)
    yield* strayRows(file, {
      isStray: (page) => broken.has(page) || !reached.has(page),
      broken,
      free: hasFreeList ? free : undefined,
    })
}

interface Strays {
  readonly isStray: (page: number) => boolean
  /** Pages that were to be of a tree. */
  readonly broken: ReadonlySet<number>
  /** Undefined if it cannot be read. */
  readonly free: { has(page: number): boolean } | undefined
}

function* strayRows(file: PageFile, { isStray, broken, free }: Strays): Generator<FileRow> {
  // A store without damage has no such pages.
  if (broken.size === 0 && free !== undefined && !file.isOld) return
  for (let page = 2; page < file.endPage; page++) {
    if (!isStray(page)) continue
    const found = readAnyRows(file, page, { isKnown: broken.has(page) })
    if (found === undefined) continue
    const { transaction, rows } = found
    // Rows of free pages were deleted or replaced, unless the list is older than the page.
    if (free?.has(page) === true && transaction <= file.transaction) continue
    for (const row of rows) {
      const identified = identify(file, row)
      // A mark that was removed must not come back.
      if (identified === undefined || (identified.table === 'marks' && free === undefined)) continue
      yield { ...identified, key: Buffer.from(row.key), isChecked: true, transaction, isStray: true }
    }
  }
}

/** The table of a row, which its check tells. */
function identify(file: PageFile, row: LeafRow): { table: TableName; value: Buffer } | undefined {
  const value = readValue(file, row)
  if (value === undefined) return undefined
  for (const table of tableNames) {
    const opened = openValue({ table, key: row.key, value, isChecked: true })
    if (opened !== undefined) return { table, value: opened }
  }
  return undefined
}

interface StoredValue {
  readonly table: TableName
  readonly key: Buffer
  readonly value: Buffer
  readonly isChecked: boolean
}

/** The value without its seal; undefined if it is damaged. Single records of a chunk may still be damaged. */
function openValue({ table, key, value, isChecked }: StoredValue): Buffer | undefined {
  if (table === 'meta' && isFormatKey(key)) return value
  if (table !== 'records') return isChecked ? unsealValue(table, key, value) : value
  try {
    return readSessionChunk(readSeqKey(key), value, { isChecked }) === undefined ? undefined : value
  } catch {
    return undefined // the key is damaged
  }
}

/** Whether the store says that its values have no checks. */
function isOldFormat(file: PageFile, meta: Parameters<typeof walkTree>[0] | undefined): boolean {
  if (meta === undefined) return false
  const rows = new Map<string, Buffer>()
  const walk = { file, taken: createPageMap(file.endPage), isOrdered: true, onDamage: () => {} }
  for (const { row } of walkTree(meta, walk)) {
    const value = readValue(file, row)
    if (value !== undefined) rows.set(row.key.toString('latin1'), value)
  }
  try {
    return (readFormat((key) => rows.get(key.toString('latin1'))) ?? 3) < 3
  } catch {
    return false
  }
}

/** The place of the tail, if this row has it. */
export function placeIn({ table, key, value }: FileRow): TailPlace | undefined {
  if (table !== 'meta' || key.toString('latin1') !== 'tail') return undefined
  return parseRow<TailPlace>(value, 'log.mdb: the place of the tail cannot be read.')
}
