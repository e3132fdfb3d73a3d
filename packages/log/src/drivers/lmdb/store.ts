import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb'
import { damagedData } from './damage.ts'
import { isFormatKey, readFormat } from './format-row.ts'
import type { KeyRange } from './keys.ts'
import { assertOpenable, assertWholePages } from './pages/check-pages.ts'
import { makeInPrivate, privateFileMode } from './private-files.ts'
import { createReserve, type FileUse, roomFor } from './reserve.ts'
import { damagedRow } from './row-place.ts'
import { sealValue, unsealValue } from './seal.ts'
import { toStorageError } from './storage-error.ts'
import { type TableName, tableNames } from './table-name.ts'

/** The file of a log inside its data directory. */
export const storeFile = 'log.mdb'

export interface Row {
  readonly key: Buffer
  readonly value: Buffer
}

/**
 * Returns copies, which stay valid. A value of the table `records` is a chunk that has its own checks; every
 * other one is checked here, and throws `damaged_data`.
 */
export interface StoreReader {
  /** Undefined in a store that was never written. Before format 3, values have no checks. */
  readonly format: number | undefined
  get(table: TableName, key: Buffer): Buffer | undefined
  /** `onDamaged` is called with the key of each damaged row instead of throwing. */
  rows(table: TableName, range?: Partial<KeyRange>, onDamaged?: (key: Buffer) => void): Iterable<Row>
  keys(table: TableName, range: KeyRange): Iterable<Buffer>
}

export interface StoreBatch {
  put(table: TableName, key: Buffer, value: Buffer): void
  remove(table: TableName, key: Buffer): void
}

/** One state of the store, unaffected by later writes. Its pages cannot be reused until it is released. */
export interface StoreSnapshot extends StoreReader {
  release(): void
}

export interface Store extends StoreReader {
  /**
   * Writes everything durably, or nothing. One at a time. After a rejection (`storage_full`,
   * `storage_failed`) the store must be closed and reopened before the next write.
   */
  write(fill: (batch: StoreBatch) => void | Promise<void>): Promise<void>
  snapshot(): StoreSnapshot
  /** Copies one state of the store to a new file, without the free pages if `compact`. */
  copy(path: string, options: { compact: boolean }): Promise<void>
  close(): Promise<void>
}

const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
/** An option that lmdb accepts but does not declare. */
const files = { permissionsMode: privateFileMode }

export interface StoreOptions {
  readonly readOnly?: boolean
  readonly file?: string
  /** Begins a store if there is no file. */
  readonly create?: boolean
  /** Checks only what opening needs, for a file that this process has just used. */
  readonly isTrusted?: boolean
}

/** Opens the store of a data directory. Throws `damaged_data` or `storage_failed`. */
export function openStore(directory: string, options: StoreOptions = {}): Store {
  const { readOnly = false, file = storeFile, create = false, isTrusted = false } = options
  const path = join(directory, file)
  let root: RootDatabase<Buffer, Buffer> | undefined
  const tables = new Map<TableName, Database<Buffer, Buffer>>()
  let format: number | undefined
  try {
    if (existsSync(path)) {
      assertOpenable(path)
      if (!readOnly && !isTrusted) assertWholePages(path)
    } else if (!create) throw damagedData(`${file} is missing.`)
    // overlappingSync makes a commit visible before it is synced: a commit whose sync fails would reappear.
    // It is not faster here, because only one write runs at a time.
    root = open<Buffer, Buffer>({
      path,
      ...binary,
      ...files,
      readOnly,
      overlappingSync: false,
      eventTurnBatching: false,
    })
    if (readOnly && !isTrusted) {
      // A running owner does not reuse the pages of a transaction that is read.
      const transaction = root.useReadTransaction()
      try {
        assertWholePages(path, { heads: true })
      } finally {
        transaction.done()
      }
    }
    for (const name of tableNames) {
      const table: Database<Buffer, Buffer> | undefined = root.openDB<Buffer, Buffer>(name, { ...binary })
      if (table !== undefined) tables.set(name, table)
    }
    format = readFormat((key) => tables.get('meta')?.getBinary(key))
  } catch (error) {
    root?.close().catch(() => {})
    throw isForeignFile(error) ? new SluiceError('damaged_data', { cause: error }) : toStorageError(error)
  }

  const environment = root
  const reserve = createReserve(path, fileUse(environment, tables))
  return {
    ...readerOf({ tables, format }),
    async write(fill) {
      // An exception inside batch() would commit everything put before it.
      const writes: (() => void)[] = []
      let bytes = 0
      await fill({
        put(name, key, value) {
          const stored = isSealed(format, name, key) ? sealValue(name, key, value) : value
          bytes += roomFor(stored.length)
          writes.push(() => void tables.get(name)?.put(key, stored))
        },
        remove: (name, key) => writes.push(() => void tables.get(name)?.remove(key)),
      })
      try {
        await reserve.ensure(bytes)
        await environment.batch(() => {
          for (const write of writes) write()
        })
      } catch (error) {
        throw toStorageError(await commitErrorOf(error))
      }
    },
    snapshot() {
      // Without the reset the snapshot may be as old as the last read.
      environment.resetReadTxn()
      const transaction = environment.useReadTransaction()
      return { ...readerOf({ tables, format, transaction }), release: () => transaction.done() }
    },
    async copy(target, { compact }) {
      try {
        // LMDB makes its copies world-readable.
        await makeInPrivate(target, (draft) => environment.backup(draft, compact))
      } catch (error) {
        throw toStorageError(error)
      }
    },
    async close() {
      await environment.close()
    },
  }
}

/** Values of a store that was never written get the current format. */
function isSealed(format: number | undefined, table: TableName, key: Buffer): boolean {
  if (format !== undefined && format < 3) return false
  return table !== 'records' && !(table === 'meta' && isFormatKey(key))
}

interface ReaderParts {
  readonly tables: ReadonlyMap<TableName, Database<Buffer, Buffer>>
  readonly format: number | undefined
  readonly transaction?: Transaction
}

function readerOf({ tables, format, transaction }: ReaderParts): StoreReader {
  const inTransaction = omitUndefined({ transaction })
  const open = (name: TableName, key: Buffer, stored: Buffer) =>
    isSealed(format, name, key) ? unsealValue(name, key, stored) : stored

  function* rows(
    name: TableName,
    range: Partial<KeyRange> = {},
    onDamaged: (key: Buffer) => void = (key) => {
      throw damagedRow(name, key)
    },
  ): Generator<Row> {
    for (const { key, value: stored } of tables.get(name)?.getRange({ ...range, ...inTransaction }) ?? []) {
      const value = open(name, key, stored)
      if (value === undefined) onDamaged(key)
      else yield { key, value }
    }
  }

  return {
    format,
    get(name, key) {
      const table = tables.get(name)
      const stored = transaction === undefined ? table?.getBinary(key) : table?.get(key, inTransaction)
      if (stored === undefined) return undefined
      const value = open(name, key, stored)
      if (value === undefined) throw damagedRow(name, key)
      return value
    },
    rows,
    keys: (name, range) => tables.get(name)?.getKeys({ ...range, ...inTransaction }) ?? [],
  }
}

/** The part of lmdb's statistics that is used here; lmdb declares none. */
interface TreeStats {
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

function fileUse(root: RootDatabase, tables: ReadonlyMap<TableName, Database>): FileUse {
  const readStats = () => root.getStats() as { root: TreeStats; free: TreeStats; lastPageNumber: number }
  return {
    // Takes 35 microseconds.
    reachedBytes() {
      const { root: tree, lastPageNumber } = readStats()
      return (lastPageNumber + 1) * tree.pageSize
    },
    freeBytes() {
      const stats = readStats()
      const trees = [
        stats.root,
        stats.free,
        ...Array.from(tables.values(), (table) => table.getStats() as TreeStats),
      ]
      const metaPages = 2
      const inUse = trees.reduce(
        (sum, tree) => sum + tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages,
        metaPages,
      )
      return (stats.lastPageNumber + 1 - inUse) * stats.root.pageSize
    },
  }
}

/** lmdb puts the cause of a failed commit into a promise, which ends the process if nothing awaits it. */
async function commitErrorOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error
  try {
    return await error.commitError
  } catch (cause) {
    return cause
  }
}

function isForeignFile(error: unknown): boolean {
  return (
    error instanceof Error &&
    /MDB_INVALID|MDB_CORRUPTED|MDB_VERSION_MISMATCH|MDB_PAGE_NOTFOUND/.test(error.message)
  )
}
