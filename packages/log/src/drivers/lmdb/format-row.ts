import { SluiceError } from '@sluice/protocol'
import { damagedData } from './damage.ts'
import { sealValue, unsealValue } from './seal.ts'

/** The format that this version writes: values are sealed since 3, commits are in files since 2. */
export const currentFormat = 3

// Versions before format 3 read the first row, which therefore has no seal.
const formatKey = Buffer.from('format')
const sealedFormatKey = Buffer.from('sealed-format')

/** Rows of the table `meta` that are stored as they are. */
export function isFormatKey(key: Buffer): boolean {
  return key.equals(formatKey) || key.equals(sealedFormatKey)
}

/** The rows that say which format a store has, as they are stored. */
export function formatRows(
  format = currentFormat,
): readonly { readonly key: Buffer; readonly value: Buffer }[] {
  const value = Buffer.from(String(format))
  return [
    { key: formatKey, value },
    { key: sealedFormatKey, value: sealValue('meta', sealedFormatKey, value) },
  ]
}

/** The format of a store; undefined if it was never written. Throws `damaged_data`. */
export function readFormat(getMeta: (key: Buffer) => Buffer | undefined): number | undefined {
  const text = getMeta(formatKey)?.toString('latin1')
  const sealedRow = getMeta(sealedFormatKey)
  const sealed = sealedRow === undefined ? undefined : unsealValue('meta', sealedFormatKey, sealedRow)
  if (text === undefined && sealedRow === undefined) return undefined
  const format = Number(text)
  const isWhole = format < currentFormat ? sealedRow === undefined : sealed?.toString('latin1') === text
  if (!Number.isInteger(format) || format < 1 || !isWhole)
    throw damagedData('log.mdb: its format cannot be read.')
  return format
}

/** Throws `newer_data` for a format that this version cannot read. */
export function assertKnownFormat(format: number | undefined): void {
  if (format !== undefined && format > currentFormat)
    throw new SluiceError('newer_data', { details: { format, supported: currentFormat } })
}
