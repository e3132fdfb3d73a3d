import { SluiceError } from '@sluice/protocol'
import type { Log, LogRecord } from '../log.ts'
import type { Bells } from './bells.ts'

const batchLimits = { maxBytes: 256 * 1024 }

/**
 * Log.tail() over the other methods of a driver that rings its bells after every durable change. Rejects with
 * `session_deleted` when the session is gone, and with `closed` when the log is.
 */
export async function* tailSession(
  log: Pick<Log, 'read' | 'head' | 'isDeleted'>,
  bells: Bells,
  session: string,
  fromSeq: number,
  signal: AbortSignal,
): AsyncGenerator<readonly LogRecord[]> {
  const bell = bells.listen(session, signal)
  let next = Math.max(0, fromSeq)
  try {
    while (!signal.aborted) {
      const records = await log.read(session, next, batchLimits)
      if (signal.aborted) return
      if (records.length > 0) {
        yield records
        next += records.length
        continue
      }
      const head = await log.head(session)
      if (head === undefined && (await log.isDeleted(session))) {
        throw new SluiceError('session_deleted', { details: { session } })
      }
      if (head?.endedAt !== undefined && next > head.lastSeq) return
      if (head === undefined || next > head.lastSeq) await bell.rung()
    }
  } finally {
    bell.stop()
  }
}
