import { decodeEntry, type Log } from '@sluice/log'
import { type OutlinePage, type OutlineRow, outlineOf } from '@sluice/protocol'

/** The requested part of a session's outline. */
export interface OutlineRange {
  /** The entry after which the page begins; -1 for the first. */
  readonly after: number
  readonly limit: number
  /** The last entry of the session. */
  readonly head: number
}

/** How much is parsed without a pause: a few milliseconds. */
const readBytes = 256 * 1024
/**
 * A page of enormous entries ends early: at this many bytes of the log, or characters in the names of calls.
 */
const maxPageBytes = 64 * 1024 * 1024
const maxNamesLength = 1024 * 1024

/** A page of a session's outline. It is shorter than `limit` if the entries are very large. */
export async function readOutline(
  log: Log,
  session: string,
  { after, limit, head }: OutlineRange,
): Promise<OutlinePage> {
  const rows: OutlineRow[] = []
  const last = Math.min(after + limit, head)
  let bytes = 0
  let names = 0
  for (let next = after + 1; next <= last && bytes < maxPageBytes && names < maxNamesLength; ) {
    const records = await log.read(session, next, { maxBytes: readBytes })
    if (records.length === 0) break
    for (const record of records) {
      if (record.seq > last || names >= maxNamesLength) break
      const row = outlineOf(decodeEntry(session, record))
      rows.push(row)
      next = record.seq + 1
      bytes += record.bytes.byteLength
      names += namesLengthOf(row)
    }
    // A log in memory answers immediately, so this gives others a turn.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const reached = rows.at(-1)?.seq
  const isLast = reached === undefined || reached >= head
  return { rows, head, ...(isLast ? {} : { next: reached }) }
}

function namesLengthOf({ calls = [] }: OutlineRow): number {
  return calls.reduce((sum, { call, tool }) => sum + call.length + tool.length, 0)
}
