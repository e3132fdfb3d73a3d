import { decodeRecord, type Log } from '@sluice/log'
import type { Clock, Entry } from '@sluice/protocol'
import { dialectById, dialects } from '@sluice/protocol/dialects'
import { createDrivenClock } from '@sluice/protocol/testing'
import type { Publication } from '../kernel/sessions/admission.ts'
import { createSessionTime } from '../kernel/sessions/session-time.ts'
import { type Committed, openWriter, type PublishTerms, type Writer } from '../kernel/sessions/writer.ts'

export interface TestWriter {
  readonly writer: Writer
  /** What became durable, in order. */
  readonly committed: readonly Committed[]
  /** How often the writer reported that it can no longer be used. */
  readonly failures: { count: number }
}

/** A writer on a log, as a session opens it. */
export async function openTestWriter(
  session: string,
  log: Log,
  options: { readonly clock?: Clock; readonly producersPerSession?: number } = {},
): Promise<TestWriter> {
  const clock = options.clock ?? createDrivenClock()
  const committed: Committed[] = []
  const failures = { count: 0 }
  const writer = await openWriter(session, {
    log,
    clock,
    time: createSessionTime(clock),
    dialectOf: (id) => dialects.find((dialect) => dialect.id === id),
    producersPerSession: options.producersPerSession ?? 64,
    onCommitted: (each) => committed.push(each),
    onFailed: () => {
      failures.count += 1
    },
    onAppended: () => {},
  })
  return { writer, committed, failures }
}

export function publicationOf(dialect: string, more: Partial<Publication> = {}): Publication {
  return { dialect: dialectById(dialect), ...more }
}

export const each: PublishTerms = { atomic: false, info: {} }
export const allOrNothing: PublishTerms = { atomic: true, info: {} }

/** All entries of a session in a log. */
export async function entriesIn(log: Log, session: string): Promise<readonly Entry[]> {
  const records = await log.read(session, 0, { maxBytes: Number.MAX_SAFE_INTEGER })
  return records.map(({ bytes }) => decodeRecord(bytes))
}
