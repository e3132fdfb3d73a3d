import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { SluiceError } from '@sluice/protocol'

/*
 * LMDB trusts its file: a foreign or truncated one crashes the process. So the two meta pages are checked
 * first. Each holds, after the page head of 24 bytes: u32 magic, u32 version, u64 address, u64 map size, two
 * databases of 48 bytes (the first begins with the page size, u32), u64 last page, u64 transaction.
 */
const magic = 0xbeefc0de
const magicAt = 24
const pageSizeAt = 48
const lastPageAt = 144
const transactionAt = 152
const metaBytes = 160

/** Throws `damaged_data` if the file exists but is not a complete store. */
export function assertStoreFile(path: string): void {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return // LMDB creates the file or reports the error
  }
  try {
    const { size } = fstatSync(file)
    if (size === 0) return
    const first = readMeta(file, 0)
    const second = first === undefined ? undefined : readMeta(file, first.pageBytes)
    if (first === undefined || second === undefined) throw damaged('It is no file of LMDB.')
    const { lastPage } = first.transaction > second.transaction ? first : second
    if (size < (lastPage + 1) * first.pageBytes) throw damaged('Its end is missing.')
  } finally {
    closeSync(file)
  }
}

function readMeta(file: number, at: number) {
  const bytes = Buffer.alloc(metaBytes)
  const count = readSync(file, bytes, 0, metaBytes, at)
  if (count < metaBytes || bytes.readUInt32LE(magicAt) !== magic) return undefined
  return {
    pageBytes: bytes.readUInt32LE(pageSizeAt),
    lastPage: Number(bytes.readBigUInt64LE(lastPageAt)),
    transaction: bytes.readBigUInt64LE(transactionAt),
  }
}

function damaged(message: string): SluiceError {
  return new SluiceError('damaged_data', { message: `The data directory is damaged: log.mdb. ${message}` })
}
