import type { PageFile, Tree } from './page-file.ts'
import { type LeafRow, readPage } from './read-page.ts'

/** Which pages were reached. Each belongs to one tree or value. */
export interface PageMap {
  /** False if one of the pages was taken before. */
  take(page: number, pages?: number): boolean
  has(page: number): boolean
}

export function createPageMap(endPage: number): PageMap {
  const bits = new Uint8Array(Math.ceil(endPage / 8))
  const has = (page: number) => ((bits[page >> 3] ?? 0) & (1 << (page & 7))) !== 0
  return {
    has,
    take(page, pages = 1) {
      for (let next = page; next < page + pages; next++) if (has(next)) return false
      for (let next = page; next < page + pages; next++)
        bits[next >> 3] = (bits[next >> 3] ?? 0) | (1 << (next & 7))
      return true
    },
  }
}

/** A row, and the page that it was found in. */
export interface FoundRow {
  readonly row: LeafRow
  readonly page: number
}

export interface Walk {
  readonly file: PageFile
  readonly taken: PageMap
  /** Rows of the tree are ordered by their bytes. */
  readonly isOrdered: boolean
  /** Called with what is wrong, and goes on without the page. */
  readonly onDamage: (page: number, what: string) => void
}

interface Totals {
  leafPages: number
  overflowPages: number
  entries: number
}

/** The rows of a tree in their order. */
export function* walkTree(tree: Tree, walk: Walk): Generator<FoundRow> {
  const totals: Totals = { leafPages: 0, overflowPages: 0, entries: 0 }
  let last: Buffer | undefined
  if (tree.root !== undefined) {
    for (const found of walkPage({ page: tree.root, depth: tree.depth }, walk, totals)) {
      const { key } = found.row
      if (walk.isOrdered && last !== undefined && Buffer.compare(last, key) >= 0)
        walk.onDamage(found.page, 'its rows are not in order')
      last = key
      yield found
    }
  }
  const { leafPages, overflowPages, entries } = tree
  if (totals.leafPages !== leafPages || totals.overflowPages !== overflowPages || totals.entries !== entries)
    walk.onDamage(tree.root ?? 0, 'its tree has other pages or rows than it says')
}

function* walkPage(
  { page, depth }: { readonly page: number; readonly depth: number },
  walk: Walk,
  totals: Totals,
): Generator<FoundRow> {
  const { file, taken, onDamage } = walk
  const found = page < 2 || page >= file.endPage || !taken.take(page) ? undefined : readPage(file, page)
  if (found === undefined || (found.kind === 'leaf') !== (depth === 1)) {
    onDamage(page, 'it cannot be read')
    return
  }
  if (found.kind === 'branch') {
    for (const child of found.children) yield* walkPage({ page: child, depth: depth - 1 }, walk, totals)
    return
  }
  totals.leafPages += 1
  for (const row of found.rows) {
    totals.entries += 1
    if (!Buffer.isBuffer(row.value)) {
      totals.overflowPages += row.value.pages
      if (!taken.take(row.value.page, row.value.pages)) {
        onDamage(row.value.page, 'two values have it')
        continue
      }
    }
    yield { row, page }
  }
}
