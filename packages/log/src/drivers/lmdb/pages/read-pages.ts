import { type PageFile, toNumber } from './page-file.ts'
import { hasValueHead, type LeafRow, readValue } from './read-page.ts'
import { createPageMap, type FoundRow, type PageMap, walkTree } from './walk-tree.ts'

/** A row of a table, by the table's name. */
export interface TableRow {
  readonly table: string
  readonly row: LeafRow
}

/** What is wrong with the structure of a store's file. */
export type OnPageDamage = (page: number, what: string) => void

export interface PageOptions {
  readonly onDamage: OnPageDamage
  /** Also checks the first page of every large value, which takes one read each. */
  readonly heads?: boolean
}

/** The pages of a store's file, by what they hold. */
export interface Pages {
  readonly reached: PageMap
  readonly free: PageMap
}

/**
 * Walks all tables of a store's file without lmdb, which would crash on a damaged one. Returns which pages
 * were reached.
 */
export function* walkTables(file: PageFile, options: PageOptions): Generator<TableRow, Pages> {
  const { onDamage, heads = false } = options
  const reached = createPageMap(file.endPage)
  const walk = { file, taken: reached, isOrdered: true, onDamage }
  const free = readFreePages(file, reached, onDamage)
  for (const { row, page } of walkTree(file.main, walk)) {
    if (row.tree === undefined || row.tree.flags !== 0) {
      onDamage(page, 'it holds a table of an unknown form')
      continue
    }
    const table = row.key.toString('latin1').replace(/\0$/, '')
    for (const found of walkTree(row.tree, walk)) {
      const { value } = found.row
      if (heads && !Buffer.isBuffer(value) && !hasValueHead(file, value))
        onDamage(value.page, 'the beginning of a value cannot be read')
      yield { table, row: found.row }
    }
  }
  for (let page = 2; page < file.endPage; page++)
    if (free.has(page) && reached.has(page)) onDamage(page, 'it is in use and listed as free')
  return { reached, free }
}

/** The pages that the lists of free pages name. */
export function readFreePages(file: PageFile, reached: PageMap, onDamage: OnPageDamage): PageMap {
  const free = createPageMap(file.endPage)
  const walk = { file, taken: reached, isOrdered: false, onDamage }
  // Its rows have the number of a transaction as key.
  for (const found of walkTree({ ...file.free, flags: 0 }, walk))
    if (!takeFreePages(file, found, free)) onDamage(found.page, 'its list of free pages cannot be read')
  return free
}

// A list is u64 count · { i64 entry }. An entry is 0, a page, or minus a count with the first page after it.
function takeFreePages(file: PageFile, { row }: FoundRow, free: PageMap): boolean {
  const bytes = readValue(file, row)
  if (bytes === undefined || row.key.length !== 8 || bytes.length < 8) return false
  const count = toNumber(bytes, 0)
  if (8 * (count + 1) > bytes.length) return false
  for (let index = 1; index <= count; index++) {
    const entry = Number(bytes.readBigInt64LE(8 * index))
    if (entry === 0) continue
    if (entry < 0 && index === count) return false
    if (entry < 0) index += 1
    const page = entry < 0 ? toNumber(bytes, 8 * index) : entry
    const pages = entry < 0 ? -entry : 1
    if (page < 2 || page + pages > file.endPage || !free.take(page, pages)) return false
  }
  return true
}
