import { SluiceError } from '@sluice/protocol'

// lmdb reports errno numbers, Node.js their names.
const fullCodes: readonly unknown[] = [27, 28, 122, 'EFBIG', 'ENOSPC', 'EDQUOT']

/** The error that a caller receives for an error of lmdb or of the file system. */
export function toStorageError(error: unknown): SluiceError {
  if (error instanceof SluiceError) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return new SluiceError(fullCodes.includes(code) ? 'storage_full' : 'storage_failed', { cause: error })
}
