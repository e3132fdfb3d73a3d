import { expect } from 'vitest'
import { openLmdbLog } from '../drivers/lmdb/open-lmdb-log.ts'
import { verifyLog } from '../maintenance/verify-log.ts'
import type { LogReport } from './run-worker.ts'
import { testRecord } from './test-record.ts'
import { readAll } from './write-session.ts'

/** What this process, which survives the crash, knows of the worker's steps. */
export interface Witness {
  readonly appending: Map<string, number>
  readonly appended: Map<string, number>
  readonly deleting: Set<string>
  readonly deleted: Set<string>
}

export const createWitness = (): Witness => ({
  appending: new Map(),
  appended: new Map(),
  deleting: new Set(),
  deleted: new Set(),
})

/** Records a report of a worker. */
export function hear({ appending, appended, deleting, deleted }: Witness, report: LogReport): void {
  if (report.step === 'appending') appending.set(report.session, report.seq)
  if (report.step === 'appended') appended.set(report.session, report.seq)
  if (report.step === 'deleting') deleting.add(report.session)
  if (report.step === 'deleted') deleted.add(report.session)
}

/** Compares the log after the crash with the reports. */
export async function expectNothingLost(directory: string, witness: Witness): Promise<void> {
  const problems: unknown[] = []
  await verifyLog(directory, (problem) => problems.push(problem))
  expect(problems).toEqual([])
  const log = await openLmdbLog({ directory, minFreeBytes: 0 })
  try {
    for (const session of witness.deleted) {
      expect(await log.head(session)).toBeUndefined()
      expect(await log.isDeleted(session)).toBe(true)
    }
    for (const [session, tried] of witness.appending) {
      if (witness.deleting.has(session)) continue
      const head = await log.head(session)
      const lastSeq = head?.lastSeq ?? -1
      expect(lastSeq).toBeGreaterThanOrEqual(witness.appended.get(session) ?? -1)
      expect(lastSeq).toBeLessThanOrEqual(tried)
      const records = await readAll(log, session)
      expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq + 1 }, (_, seq) => seq))
      const wrong = records.filter(({ seq, bytes }) => Buffer.compare(bytes, testRecord(session, seq)) !== 0)
      expect(wrong).toEqual([])
      if (head !== undefined) expect(head.producers['p']?.seq).toBe(lastSeq)
      const checkpoint = await log.checkpoint(session, lastSeq)
      if (checkpoint !== undefined) {
        expect(Buffer.compare(checkpoint.bytes, testRecord(session, checkpoint.seq))).toBe(0)
      }
      // The next worker starts at the end of the log.
      witness.appending.set(session, lastSeq)
      witness.appended.set(session, lastSeq)
    }
  } finally {
    await log.close()
  }
}
