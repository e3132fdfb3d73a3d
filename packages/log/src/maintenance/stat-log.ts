import { countDiskBytes } from '../drivers/lmdb/disk-use.ts'
import { loadTail } from '../drivers/lmdb/tail.ts'
import type { LogStat } from '../log.ts'
import { withSnapshot } from './log-snapshot.ts'

/** Counts the contents of a log, even while its owner runs. */
export async function statLog(directory: string): Promise<LogStat> {
  const counters = await withSnapshot(
    directory,
    ({ reader, readTail }) => loadTail(reader, readTail().chunks).counters,
  )
  return { ...counters, diskBytes: await countDiskBytes(directory) }
}
