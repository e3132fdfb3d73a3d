import { type PageFile, pageHeadBytes, readTree, type Tree, toNumber, treeBytes } from './page-file.ts'

const branch = 1
const leaf = 2
const kinds = 0x67
const nodeHeadBytes = 8
const isBig = 1
const isTree = 2
const bigBytes = 24

/** A row of a leaf page. */
export interface LeafRow {
  readonly key: Buffer
  /** The value if it is in the page, else where it begins in the file. */
  readonly value: Buffer | { readonly page: number; readonly pages: number; readonly length: number }
  /** The row is the root of a named tree. */
  readonly tree: Tree | undefined
}

export type TreePage =
  | { readonly kind: 'branch'; readonly transaction: number; readonly children: readonly number[] }
  | { readonly kind: 'leaf'; readonly transaction: number; readonly rows: readonly LeafRow[] }

/** Reads a page of a tree; undefined if it is none or if anything in it is out of bounds. */
export function readPage(file: PageFile, number: number): TreePage | undefined {
  const bytes = pageAt(file, number)
  if (bytes === undefined) return undefined
  const transaction = toNumber(bytes, 8)
  const kind = bytes.readUInt16LE(18) & kinds
  if (kind === branch) {
    const children = nodesOf(bytes, (at) => toChild(file, bytes, at))
    return children === undefined || children.length === 0
      ? undefined
      : { kind: 'branch', transaction, children }
  }
  if (kind !== leaf) return undefined
  const rows = nodesOf(bytes, (at) => toRow(file, bytes, at))
  return rows === undefined ? undefined : { kind: 'leaf', transaction, rows }
}

/**
 * The rows of a leaf page that are within its bounds, whatever is wrong with the others. `isKnown` reads a page
 * that does not say that it is one.
 */
export function readAnyRows(
  file: PageFile,
  number: number,
  { isKnown }: { readonly isKnown: boolean },
): { readonly transaction: number; readonly rows: readonly LeafRow[] } | undefined {
  const bytes = file.read(number * file.pageBytes, file.pageBytes)
  if (bytes === undefined) return undefined
  const isLeaf = toNumber(bytes, 0) === number && (bytes.readUInt16LE(18) & kinds) === leaf
  if (!isLeaf && !isKnown) return undefined
  const rows: LeafRow[] = []
  // The pointers end before the first node.
  let end = bytes.length - 1
  for (let pointer = pageHeadBytes; pointer < end; pointer += 2) {
    const at = pageHeadBytes + bytes.readUInt16LE(pointer)
    if (at % 2 !== 0 || at <= pointer || at + nodeHeadBytes > bytes.length) continue
    if (at < end) end = at
    const row = toRow(file, bytes, at)
    if (row !== undefined && row.key.length > 0) rows.push(row)
  }
  return { transaction: toNumber(bytes, 8), rows }
}

/** The value of a row; undefined if the file ends before. */
export function readValue(file: PageFile, { value }: LeafRow): Buffer | undefined {
  return Buffer.isBuffer(value) ? value : file.read(value.page * file.pageBytes + pageHeadBytes, value.length)
}

/** Whether the first page of a large value says what its row says; lmdb relies on it to free the pages. */
export function hasValueHead(file: PageFile, { page, pages }: { page: number; pages: number }): boolean {
  const head = file.read(page * file.pageBytes, pageHeadBytes)
  return (
    head !== undefined &&
    toNumber(head, 0) === page &&
    (head.readUInt16LE(18) & 4) !== 0 &&
    head.readUInt32LE(20) === pages
  )
}

function pageAt(file: PageFile, number: number): Buffer | undefined {
  if (number < 2 || number >= file.endPage) return undefined
  const bytes = file.read(number * file.pageBytes, file.pageBytes)
  return bytes === undefined || toNumber(bytes, 0) !== number ? undefined : bytes
}

/** Undefined if the page's bounds are wrong or a node is not valid. */
function nodesOf<Node>(bytes: Buffer, toNode: (at: number) => Node | undefined): readonly Node[] | undefined {
  const lower = bytes.readUInt16LE(20)
  const upper = bytes.readUInt16LE(22)
  if (lower % 2 !== 0 || lower > upper || pageHeadBytes + upper > bytes.length) return undefined
  const nodes: Node[] = []
  for (let pointer = 0; pointer < lower; pointer += 2) {
    const offset = bytes.readUInt16LE(pageHeadBytes + pointer)
    const at = pageHeadBytes + offset
    if (offset < upper || at % 2 !== 0 || at + nodeHeadBytes > bytes.length) return undefined
    const node = toNode(at)
    if (node === undefined) return undefined
    nodes.push(node)
  }
  return nodes
}

function toChild(file: PageFile, bytes: Buffer, at: number): number | undefined {
  const child = bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 2 ** 32
  const isInBounds = at + nodeHeadBytes + bytes.readUInt16LE(at + 6) <= bytes.length
  return isInBounds && child >= 2 && child < file.endPage ? child : undefined
}

function toRow(file: PageFile, bytes: Buffer, at: number): LeafRow | undefined {
  const length = bytes.readUInt32LE(at)
  const flags = bytes.readUInt16LE(at + 4)
  const keyAt = at + nodeHeadBytes
  const valueAt = keyAt + bytes.readUInt16LE(at + 6)
  const isLarge = (flags & isBig) !== 0
  if (valueAt + (isLarge ? bigBytes : length) > bytes.length) return undefined
  const key = bytes.subarray(keyAt, valueAt)
  if (isLarge) {
    if (flags !== isBig) return undefined
    const page = toNumber(bytes, valueAt)
    const pages = toNumber(bytes, valueAt + 16)
    const isWhole = pages === Math.ceil((pageHeadBytes + length) / file.pageBytes)
    return isWhole && page >= 2 && page + pages <= file.endPage
      ? { key, value: { page, pages, length }, tree: undefined }
      : undefined
  }
  const value = bytes.subarray(valueAt, valueAt + length)
  if (flags === 0) return { key, value, tree: undefined }
  return flags === isTree && length === treeBytes ? { key, value, tree: readTree(value) } : undefined
}
