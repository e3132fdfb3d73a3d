import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDamage } from '../drivers/lmdb/damage.ts'
import { everyKey, readPlaceKey } from '../drivers/lmdb/keys.ts'
import type { StoreReader } from '../drivers/lmdb/store.ts'
import { loadTail, type Tail } from '../drivers/lmdb/tail.ts'
import { comparePlaces } from '../drivers/session-order.ts'
import type { ListPlace, LogRecord } from '../log.ts'
import type { OnLoss } from './log-loss.ts'
import { openSnapshot } from './log-snapshot.ts'
import { readableRecords } from './readable-records.ts'
import { salvageLog } from './salvage/salvage-log.ts'

export interface ExportedRecord {
  readonly session: string
  readonly record: LogRecord
}

export interface ExportOptions {
  /** All by default. */
  readonly sessions?: readonly string[] | undefined
  /** Called with everything that cannot be read. */
  readonly onLoss?: OnLoss
}

/**
 * All records of the given sessions, or of all, one session after the other, oldest first, as they were when the
 * export started. Works even while the owner runs; space freed meanwhile is reused only after the export. A
 * damaged log is first salvaged into a temporary directory.
 */
export async function* exportLog(
  directory: string,
  { sessions, onLoss = () => {} }: ExportOptions = {},
): AsyncGenerator<ExportedRecord> {
  const opened = await openWhole(directory, onLoss)
  try {
    const { reader, tail } = opened
    for (const session of sessions ?? sessionsOf(reader, tail)) {
      for (const { record, lost } of readableRecords(reader, tail, session)) {
        if (record !== undefined) yield { session, record }
        else if (!opened.isSalvaged)
          onLoss({
            session,
            fromSeq: lost.fromSeq,
            toSeq: lost.toSeq,
            bytes: lost.bytes,
            message: 'entries cannot be read',
          })
      }
    }
  } finally {
    await opened.release()
  }
}

interface Opened {
  readonly reader: StoreReader
  readonly tail: Tail
  /** Everything that is lost was reported. */
  readonly isSalvaged: boolean
  release(): Promise<void>
}

async function openWhole(directory: string, onLoss: OnLoss): Promise<Opened> {
  try {
    return { ...(await openTail(directory)), isSalvaged: false }
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  const copy = await mkdtemp(join(tmpdir(), 'sluice-export-'))
  const remove = () => rm(copy, { recursive: true, force: true })
  try {
    await salvageLog(directory, copy, onLoss)
    const { reader, tail, release } = await openTail(copy)
    return { reader, tail, isSalvaged: true, release: () => release().then(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

async function openTail(directory: string): Promise<Omit<Opened, 'isSalvaged'>> {
  const { reader, readTail, release } = await openSnapshot(directory)
  try {
    for (const table of ['order', 'heads'] as const) {
      for (const _ of reader.rows(table)) {
        // Throws at a damaged row: the list of sessions must be whole.
      }
    }
    return { reader, tail: loadTail(reader, readTail().chunks), release }
  } catch (error) {
    await release()
    throw error
  }
}

function* sessionsOf(reader: StoreReader, tail: Tail): Generator<string> {
  const newPlaces = [...tail.newPlaces]
  for (const key of reader.keys('order', everyKey)) {
    const place = readPlaceKey(key)
    yield* takeBefore(newPlaces, place)
    yield place.session
  }
  for (const { session } of newPlaces) yield session
}

function* takeBefore(places: ListPlace[], place: ListPlace): Generator<string> {
  for (let next = places[0]; next !== undefined && comparePlaces(next, place) < 0; next = places[0]) {
    places.shift()
    yield next.session
  }
}
