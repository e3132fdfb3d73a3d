import type { SluiceError } from '@sluice/protocol'
import { damagedData, damagedRecord } from './damage.ts'
import { readMarkKey, readPlaceKey, readSeqKey } from './keys.ts'
import type { TableName } from './table-name.ts'

/** The subject of a row. */
export interface RowPlace {
  readonly session?: string
  readonly seq?: number
  /** What the row holds. */
  readonly what: string
}

const whats: Readonly<Record<TableName, string>> = {
  meta: 'a number of the log itself',
  tail: 'a commit',
  records: 'entries',
  heads: 'the head',
  order: 'the place in the list of sessions',
  ended: 'the place in the list of ended sessions',
  marks: 'a mark',
  checkpoints: 'a checkpoint',
  deleted: 'the note that it was deleted',
}

/** Reads any key, even one that is damaged. */
export function rowPlace(table: TableName, key: Buffer): RowPlace {
  const what = whats[table]
  try {
    switch (table) {
      case 'meta':
      case 'tail':
        return { what }
      case 'heads':
      case 'deleted':
        return { what, session: key.toString('utf8') }
      case 'order':
      case 'ended':
        return { what, session: readPlaceKey(key).session }
      case 'marks':
        return { what, session: readMarkKey(key).session }
      case 'records':
      case 'checkpoints':
        return { what, ...readSeqKey(key) }
    }
  } catch {
    return { what }
  }
}

export function damagedRow(table: TableName, key: Buffer): SluiceError {
  const { session, seq, what } = rowPlace(table, key)
  if (session === undefined) return damagedData(`log.mdb: ${what} cannot be read.`)
  if (table === 'records' && seq !== undefined) return damagedRecord(session, seq)
  return damagedData(`log.mdb: ${what} of session ${session} cannot be read.`, { session })
}
