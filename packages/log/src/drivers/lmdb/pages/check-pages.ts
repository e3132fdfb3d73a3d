import { damagedData } from '../damage.ts'
import { assertWholeMetas, openPageFile, type PageFile } from './page-file.ts'
import { walkTables } from './read-pages.ts'
import { createPageMap, walkTree } from './walk-tree.ts'

// Flags of an environment that change what its bytes mean: a fixed address, encryption.
const foreignFlags = 0x2001

/**
 * Checks what lmdb reads when it opens a store's file, because a damaged file crashes the process. Throws
 * `damaged_data`.
 */
export function assertOpenable(path: string): void {
  assertWholeMetas(path)
  withPages(path, (file) => {
    if (file.main.flags !== 0 || (file.free.flags & foreignFlags) !== 0) refuse(0, 'its flags are wrong')
    const walk = { file, taken: createPageMap(file.endPage), isOrdered: true, onDamage: refuse }
    for (const { row, page } of walkTree(file.main, walk))
      if (row.tree === undefined || row.tree.flags !== 0) refuse(page, 'it holds a table of an unknown form')
  })
}

/**
 * Checks every page that holds keys, and the lists of free pages. Reads no values: it takes about a second for
 * a million small sessions. Throws `damaged_data`.
 */
export function assertWholePages(path: string, { heads = false } = {}): void {
  withPages(path, (file) => {
    const tables = walkTables(file, { onDamage: refuse, heads })
    while (tables.next().done !== true) {
      // Walking is the check.
    }
  })
}

function withPages(path: string, look: (file: PageFile) => void): void {
  const file = openPageFile(path)
  try {
    look(file)
  } finally {
    file.close()
  }
}

function refuse(page: number, what: string): never {
  throw damagedData(`log.mdb, page ${page}: ${what}.`)
}
