import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifyLog } from '../../maintenance/verify-log.ts'
import { createDataDirectory, type DataDirectory } from '../../testing/data-directory.ts'
import { type LogReport, type LogWork, startWorker } from '../../testing/run-worker.ts'
import { runs } from '../../testing/runs.ts'
import { testRecord } from '../../testing/test-record.ts'
import { readAll } from '../../testing/write-session.ts'
import { openLmdbLog } from './open-lmdb-log.ts'

/** What the survivor of the crash, this process, knows. */
interface Witness {
  readonly appending: Map<string, number>
  readonly appended: Map<string, number>
  readonly deleting: Set<string>
  readonly deleted: Set<string>
}

const createWitness = (): Witness => ({
  appending: new Map(),
  appended: new Map(),
  deleting: new Set(),
  deleted: new Set(),
})

function hear({ appending, appended, deleting, deleted }: Witness, report: LogReport): void {
  if (report.step === 'appending') appending.set(report.session, report.seq)
  if (report.step === 'appended') appended.set(report.session, report.seq)
  if (report.step === 'deleting') deleting.add(report.session)
  if (report.step === 'deleted') deleted.add(report.session)
}

/** Kills a worker with SIGKILL after it has told of `steps` steps of one kind. */
async function workUntilKilled(
  work: LogWork,
  witness: Witness,
  step: LogReport['step'],
  steps: number,
): Promise<void> {
  let left = steps
  const complaints = await startWorker(work, (report, worker) => {
    hear(witness, report)
    if (report.step === step) left -= 1
    if (left <= 0) worker.kill('SIGKILL')
  })
  expect(complaints).toBe('')
  expect(left).toBeLessThanOrEqual(0)
}

async function expectNothingLost(directory: DataDirectory, witness: Witness): Promise<void> {
  const problems: unknown[] = []
  await verifyLog(directory.path, (problem) => problems.push(problem))
  expect(problems).toEqual([])
  const log = await openLmdbLog({ directory: directory.path, minFreeBytes: 0 })
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
      // The next worker begins where the log stands.
      witness.appending.set(session, lastSeq)
      witness.appended.set(session, lastSeq)
    }
  } finally {
    await log.close()
  }
}

const underWay = ({ appending, appended }: Witness): number =>
  [...appending].filter(([session, seq]) => seq > (appended.get(session) ?? -1)).length

describe('a log whose process is killed', () => {
  test.each([
    ['while it writes', { kind: 'write', regroupBytes: 1 << 30 }, 'appended', 400],
    ['while it regroups all the time', { kind: 'write', regroupBytes: 20_000 }, 'appended', 400],
    ['while it deletes', { kind: 'delete', regroupBytes: 50_000 }, 'deleting', 12],
  ] as const)('%s has everything that was acknowledged, once and in order', async (_, work, step, most) => {
    const directory = await createDataDirectory()
    try {
      const witness = createWitness()
      let round = 0
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: most }), async (steps) => {
          // Only a round counts in which appends were under way at the kill; what a round leaves is always checked.
          for (let proven = false; !proven; ) {
            round += 1
            const name = `r${round}`
            await workUntilKilled({ ...work, name, directory: directory.path }, witness, step, steps)
            proven = underWay(witness) > 0
            await expectNothingLost(directory, witness)
          }
        }),
        { numRuns: runs(3), endOnFailure: true },
      )
    } finally {
      await directory.remove()
    }
  })

  test('while it is compacted has everything it had', async () => {
    const directory = await createDataDirectory()
    try {
      const witness = createWitness()
      const base = { directory: directory.path, name: 'c', regroupBytes: 50_000 }
      await workUntilKilled({ ...base, kind: 'delete' }, witness, 'deleted', 3)
      await expectNothingLost(directory, witness)
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 8 }), async (steps) => {
          await workUntilKilled({ ...base, kind: 'compact' }, witness, 'compacting', steps)
          await expectNothingLost(directory, witness)
        }),
        { numRuns: runs(3), endOnFailure: true },
      )
    } finally {
      await directory.remove()
    }
  })
})
