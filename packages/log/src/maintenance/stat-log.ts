import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { storeFile } from '../drivers/lmdb/store.ts'
import { loadTail } from '../drivers/lmdb/tail.ts'
import type { LogStat } from '../log.ts'
import { withSnapshot } from './log-snapshot.ts'

/** Counts what a log holds, also while its owner runs. */
export async function statLog(directory: string): Promise<LogStat> {
  const counters = await withSnapshot(directory, (reader) => loadTail(reader).counters)
  const { size } = await stat(join(directory, storeFile))
  return { ...counters, diskBytes: size }
}
