import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createWitness, expectNothingLost, hear } from '../../testing/crash-witness.ts'
import { createDataDirectory } from '../../testing/data-directory.ts'
import { canRun } from '../../testing/run-faults.ts'
import { startWorker } from '../../testing/run-worker.ts'
import { listTailFiles, tailFileName } from './tail-file.ts'

const requireAll = process.env['SLUICE_REQUIRE'] === 'all'
const canInject = canRun('strace', [
  ...['-f', '-o', '/dev/null', '-P', '/dev/null', '-e', 'inject=fdatasync:signal=KILL:when=1000'],
  'true',
])
if (!canInject)
  console.warn('crashes inside of a regroup are not tested: install strace (apt-get install strace)')

interface Point {
  readonly call: string
  /** Which file: of the store, or of the tail, counted from the one that is current at start. */
  readonly file: 'store' | number
  readonly when?: number
}

describe.skipIf(!canInject && !requireAll)('a log whose process is killed in a regroup', () => {
  test.each<[string, Point]>([
    ['before the next file is made', { call: 'openat', file: 1 }],
    ['before the head of the next file is written', { call: 'pwrite64', file: 1 }],
    ['before the next file is durable', { call: 'fsync', file: 1 }],
    ['before the first commit in the next file is durable', { call: 'fdatasync', file: 1 }],
    ['before the transaction is written', { call: 'pwrite64', file: 'store' }],
    ['in the middle of the transaction', { call: 'pwrite64', file: 'store', when: 5 }],
    ['before the transaction is durable', { call: 'fdatasync', file: 'store' }],
    ['between the transaction and the removal', { call: 'unlink,unlinkat', file: 0 }],
    ['before the file of the second regroup is made', { call: 'openat', file: 2 }],
    ['between the second transaction and its removal', { call: 'unlink,unlinkat', file: 1 }],
  ])('%s has everything that was acknowledged, once and in order', async (_, { call, file, when = 1 }) => {
    const directory = await createDataDirectory()
    try {
      const witness = createWitness()
      const work = { kind: 'delete', directory: directory.path, name: 'a', regroupBytes: 30_000 } as const
      let left = 40
      await startWorker(work, (report, worker) => {
        hear(witness, report)
        left -= 1
        if (left <= 0) worker.kill('SIGKILL')
      })
      await expectNothingLost(directory.path, witness)
      const [current = 0] = await listTailFiles(directory.path)
      const name = file === 'store' ? 'log.mdb' : tailFileName(current + file)
      let acknowledged = 0
      const complaints = await startWorker(
        { ...work, name: 'b' },
        (report) => {
          hear(witness, report)
          if (report.step === 'appended') acknowledged += 1
        },
        [
          ...['strace', '-f', '-qq', '-o', '/dev/null', '-P', join(directory.path, name)],
          ...['-e', `inject=${call}:signal=KILL:when=${when}`],
        ],
      )
      expect(complaints).toBe('')
      expect(acknowledged).toBeGreaterThan(0)
      await expectNothingLost(directory.path, witness)
    } finally {
      await directory.remove()
    }
  })
})
