import { crc32 } from 'node:zlib'
import type { TableName } from './table-name.ts'

/*
 * A sealed value ends with the CRC-32 of the value, seeded with that of the key, seeded with the number of the
 * table. So a value is known to belong to its row, wherever it is found.
 */
const checkBytes = 4

/** By which a value is bound to a table. Never change one. */
const tableNumbers: Readonly<Record<TableName, number>> = {
  meta: 1,
  tail: 2,
  records: 3,
  heads: 4,
  order: 5,
  ended: 6,
  marks: 7,
  checkpoints: 8,
  deleted: 9,
}

/** What the check of a row's value begins with. */
export function rowSeed(table: TableName, key: Uint8Array): number {
  return crc32(key, tableNumbers[table])
}

export function sealValue(table: TableName, key: Buffer, value: Buffer): Buffer {
  const sealed = Buffer.allocUnsafe(value.length + checkBytes)
  value.copy(sealed)
  sealed.writeUInt32LE(crc32(value, rowSeed(table, key)), value.length)
  return sealed
}

/** The value without its seal; undefined if it is damaged. */
export function unsealValue(table: TableName, key: Buffer, sealed: Buffer): Buffer | undefined {
  const end = sealed.length - checkBytes
  if (end < 0) return undefined
  const value = sealed.subarray(0, end)
  return crc32(value, rowSeed(table, key)) === sealed.readUInt32LE(end) ? value : undefined
}
