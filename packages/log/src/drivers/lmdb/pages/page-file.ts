import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { damagedData } from '../damage.ts'

/*
 * The file of LMDB as lmdb 3.5 writes it, on a 64-bit machine; numbers are little-endian. A page begins with
 * u64 number · u64 transaction · u16 pad · u16 flags · u16 lower · u16 upper (of a value's first page: u32
 * pages). The first two pages are meta pages, of which the later transaction holds.
 */
export const pageHeadBytes = 24
export const treeBytes = 48
const magic = 0xbeefc0de
const dataVersion = 2
const metaBytes = 160
const metaPages = 2
const maxPageBytes = 65_536
const minPageBytes = 256
/** Those of the systems that Node runs on. */
const pageSizes = [4096, 8192, 16_384, 32_768, 65_536]

/** The root of a tree, as its parent describes it. */
export interface Tree {
  readonly flags: number
  readonly depth: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
  /** Undefined in an empty tree. */
  readonly root: number | undefined
}

/** The state of the last transaction of a store's file. */
export interface PageFile {
  readonly pageBytes: number
  /** The first page after the last one in use. */
  readonly endPage: number
  readonly transaction: number
  /** A meta page cannot be read, so there may be a later transaction. */
  readonly isOld: boolean
  readonly free: Tree
  readonly main: Tree
  /** Reads bytes; undefined if the file ends before. */
  read(at: number, length: number): Buffer | undefined
  close(): void
}

/** Opens a store's file without lmdb. Throws `damaged_data` if neither meta page can be read. */
export function openPageFile(path: string): PageFile {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size === 0) throw damagedData('log.mdb is empty.')
    const meta = readMetas((at, length) => readAt(file, at, length))
    if (meta === undefined) throw damagedData('log.mdb is not a file of LMDB.')
    return {
      ...meta,
      read: (at, length) => readAt(file, at, length),
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

const noTree: Tree = { flags: 0, depth: 0, leafPages: 0, overflowPages: 0, entries: 0, root: undefined }

/**
 * Opens a file of any form: every page that it has counts, and its trees are empty if neither meta page can be
 * read. Undefined if the file is empty.
 */
export function openAnyPages(path: string): PageFile | undefined {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  if (size === 0) {
    closeSync(file)
    return undefined
  }
  const read: ReadBytes = (at, length) => readAt(file, at, length)
  const meta = readMetas(read)
  const pageBytes = meta?.pageBytes ?? guessPageBytes(read, size)
  return {
    free: noTree,
    main: noTree,
    transaction: Number.NEGATIVE_INFINITY,
    isOld: true,
    ...meta,
    pageBytes,
    endPage: Math.ceil(size / pageBytes),
    read,
    close: () => closeSync(file),
  }
}

// A page begins with its number.
function guessPageBytes(read: ReadBytes, size: number): number {
  const counts = pageSizes.map((bytes) => {
    let count = 0
    for (let page = 2; page < 64 && page * bytes < size; page++) {
      const head = read(page * bytes, pageHeadBytes)
      if (head !== undefined && toNumber(head, 0) === page) count += 1
    }
    return { bytes, count }
  })
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).bytes
}

/** Throws `damaged_data` if a meta page is damaged or the end of the file is missing: lmdb would crash. */
export function assertWholeMetas(path: string): void {
  const file = openPageFile(path)
  try {
    const { pageBytes, endPage } = file
    const metas = [0, 1].map((page) => toMeta(file.read(page * pageBytes, metaBytes)))
    if (metas.includes(undefined)) throw damagedData('log.mdb: one of its first two pages cannot be read.')
    if (file.read(endPage * pageBytes - 1, 1) === undefined) throw damagedData('log.mdb: its end is missing.')
  } finally {
    file.close()
  }
}

type ReadBytes = PageFile['read']

function readMetas(read: ReadBytes) {
  const first = toMeta(read(0, metaBytes))
  // Without the first page, the size of the pages is unknown.
  const sizes = first === undefined ? pageSizes : [first.pageBytes]
  const second = sizes.map((size) => toMeta(read(size, metaBytes))).find((meta) => meta !== undefined)
  const only = first ?? second
  if (first === undefined || second === undefined)
    return only === undefined ? undefined : { ...only, isOld: true }
  return { ...(second.transaction > first.transaction ? second : first), isOld: false }
}

function toMeta(bytes: Buffer | undefined) {
  if (bytes === undefined || bytes.readUInt32LE(pageHeadBytes) !== magic) return undefined
  if ((bytes.readUInt32LE(28) & 0xffff) !== dataVersion) return undefined
  const pageBytes = bytes.readUInt32LE(48)
  const isPageSize =
    pageBytes >= minPageBytes && pageBytes <= maxPageBytes && (pageBytes & (pageBytes - 1)) === 0
  const endPage = toNumber(bytes, 144) + 1
  if (!isPageSize || endPage < metaPages || endPage * pageBytes > Number.MAX_SAFE_INTEGER) return undefined
  return {
    pageBytes,
    endPage,
    transaction: toNumber(bytes, 152),
    free: readTree(bytes.subarray(48, 96)),
    main: readTree(bytes.subarray(96, 144)),
  }
}

export function readTree(bytes: Buffer): Tree {
  const root = bytes.readBigUInt64LE(40)
  return {
    flags: bytes.readUInt16LE(4),
    depth: bytes.readUInt16LE(6),
    leafPages: toNumber(bytes, 16),
    overflowPages: toNumber(bytes, 24),
    entries: toNumber(bytes, 32),
    root: root === 0xffffffffffffffffn ? undefined : Number(root),
  }
}

export function toNumber(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}

function readAt(file: number, at: number, length: number): Buffer | undefined {
  if (!Number.isSafeInteger(at + length)) return undefined
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const count = readSync(file, bytes, done, length - done, at + done)
    if (count === 0) return undefined
    done += count
  }
  return bytes
}
