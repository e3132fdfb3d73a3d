import { type JsonObject, omitUndefined, SluiceError } from '@sluice/protocol'

/** The error of a data directory that cannot be used as it is. `what` is a sentence. */
export function damagedData(what: string, details?: JsonObject): SluiceError {
  return new SluiceError('damaged_data', {
    message: `The data directory is damaged: ${what} See: sluice log verify, sluice log repair.`,
    ...omitUndefined({ details }),
  })
}

/** The error of an entry whose bytes are damaged or missing. */
export function damagedRecord(session: string, seq: number): SluiceError {
  return damagedData(`entry ${seq} of session ${session} cannot be read.`, { session, seq })
}

export function isDamage(error: unknown): error is SluiceError {
  return error instanceof Error && 'code' in error && error.code === 'damaged_data'
}

/** Reads a row that this package wrote as JSON. `what` is a sentence about a row that cannot be read. */
export function parseRow<Row>(bytes: Buffer, what: string): Row {
  try {
    return JSON.parse(bytes.toString('utf8')) as Row // written by this package, or else the check fails
  } catch {
    throw damagedData(what)
  }
}
