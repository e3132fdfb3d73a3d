import { everyKey, readPlaceKey } from '../drivers/lmdb/keys.ts'
import { readRecords } from '../drivers/lmdb/reading.ts'
import type { StoreReader } from '../drivers/lmdb/store.ts'
import { loadTail, type Tail } from '../drivers/lmdb/tail.ts'
import { comparePlaces } from '../drivers/session-order.ts'
import type { ListPlace, LogRecord } from '../log.ts'
import { openSnapshot } from './log-snapshot.ts'

export interface ExportedRecord {
  readonly session: string
  readonly record: LogRecord
}

/**
 * All records of the given sessions, or of all, one session after the other, oldest first, as they were when the
 * export started. Works even while the owner runs; space freed meanwhile is reused only after the export.
 */
export async function* exportLog(
  directory: string,
  sessions?: readonly string[],
): AsyncGenerator<ExportedRecord> {
  const { reader, readTail, release } = await openSnapshot(directory)
  try {
    const tail = loadTail(reader, readTail())
    for (const session of sessions ?? sessionsOf(reader, tail)) {
      for (const record of readRecords(reader, tail, { session, fromSeq: 0 })) yield { session, record }
    }
  } finally {
    await release()
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
