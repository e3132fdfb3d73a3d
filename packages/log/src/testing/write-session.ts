import type { Append, Log, LogRecord, SessionHead, WriterLease } from '../log.ts'
import type { LogCounts } from './log-driver.ts'

/** The record of a text. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export const textsOf = (records: readonly LogRecord[]): readonly string[] =>
  records.map(({ seq, bytes }) => `${seq}:${new TextDecoder().decode(bytes)}`)

/** Texts to append, and the rest of the append. */
interface WrittenTexts extends Partial<Omit<Append, 'lease' | 'records'>> {
  readonly texts: readonly string[]
}

/** Appends texts at the end of the lease's session. */
export async function appendTexts(
  log: Log,
  lease: WriterLease,
  { texts, ...rest }: WrittenTexts,
): Promise<void> {
  const { firstSeq = nextSeq(await log.head(lease.session)), at = 1000, ...others } = rest
  await log.append({ ...others, at, lease, firstSeq, records: texts.map(bytesOf) })
}

/** Opens a session and appends to it. */
export async function writeSession(log: Log, session: string, written: WrittenTexts): Promise<WriterLease> {
  const lease = await log.openWriter(session)
  await appendTexts(log, lease, written)
  return lease
}

export function nextSeq(head: SessionHead | undefined): number {
  return (head?.lastSeq ?? -1) + 1
}

/** All records of a session, read in batches of at most `maxBytes`. */
export async function readAll(log: Log, session: string, maxBytes = 1 << 20): Promise<readonly LogRecord[]> {
  const all: LogRecord[] = []
  for (;;) {
    const batch = await log.read(session, all.length, { maxBytes })
    if (batch.length === 0) return all
    all.push(...batch)
  }
}

/** Counts the contents of a log from the heads of its sessions. */
export async function countHeads(log: Log): Promise<LogCounts> {
  const heads = await log.list({ limit: Number.MAX_SAFE_INTEGER })
  return {
    sessions: heads.length,
    endedSessions: heads.filter(({ endedAt }) => endedAt !== undefined).length,
    records: heads.reduce((sum, { lastSeq }) => sum + lastSeq + 1, 0),
    bytes: heads.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** The code of the error with which `work` rejects. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
