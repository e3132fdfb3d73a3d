import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWitness, expectNothingLost, hear, type Witness } from '../../testing/crash-witness.ts'
import { createDataDirectory } from '../../testing/data-directory.ts'
import { type LogReport, type LogWork, startWorker } from '../../testing/run-worker.ts'
import { runs } from '../../testing/runs.ts'

/** Kills a worker with SIGKILL after it has reported `steps` steps of one kind. */
async function workUntilKilled(
  work: LogWork,
  witness: Witness,
  { step, steps }: { readonly step: LogReport['step']; readonly steps: number },
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
          // Only rounds with appends in progress at the kill count; the log is checked after every round.
          for (let proven = false; !proven; ) {
            round += 1
            const name = `r${round}`
            await workUntilKilled({ ...work, name, directory: directory.path }, witness, { step, steps })
            proven = underWay(witness) > 0
            await expectNothingLost(directory.path, witness)
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
      await workUntilKilled({ ...base, kind: 'delete' }, witness, { step: 'deleted', steps: 3 })
      await expectNothingLost(directory.path, witness)
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 8 }), async (steps) => {
          await workUntilKilled({ ...base, kind: 'compact' }, witness, { step: 'compacting', steps })
          await expectNothingLost(directory.path, witness)
        }),
        { numRuns: runs(3), endOnFailure: true },
      )
    } finally {
      await directory.remove()
    }
  })
})
