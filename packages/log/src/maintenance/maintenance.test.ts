import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { seqKey, sessionKey } from '../drivers/lmdb/keys.ts'
import { openLmdbLog } from '../drivers/lmdb/open-lmdb-log.ts'
import { openStore, type StoreBatch } from '../drivers/lmdb/store.ts'
import { putTailPlace } from '../drivers/lmdb/tail-place.ts'
import { createWitness, hear } from '../testing/crash-witness.ts'
import { createDataDirectory, type DataDirectory } from '../testing/data-directory.ts'
import { type LogWork, startWorker, type Worker } from '../testing/run-worker.ts'
import { runs } from '../testing/runs.ts'
import { testRecord } from '../testing/test-record.ts'
import { codeOf, readAll } from '../testing/write-session.ts'
import { backupLog, compactLog, restoreLog } from './copy-log.ts'
import { exportLog } from './export-log.ts'
import { statLog } from './stat-log.ts'
import { type LogProblem, verifyLog } from './verify-log.ts'

/** The owner keeps writing meanwhile, so that each backup is larger than the previous one. */
const maxBackups = 12

describe('a log without its gateway', () => {
  let directory: DataDirectory
  let other: DataDirectory
  beforeEach(async () => {
    directory = await createDataDirectory()
    other = await createDataDirectory()
  })
  afterEach(async () => {
    await directory.remove()
    await other.remove()
  })

  /** Ten sessions of a hundred records, and one that stays in the tail of the copy that is left in `directory`. */
  async function fill(): Promise<void> {
    const log = await openLmdbLog({ directory: other.path, minFreeBytes: 0 })
    const write = async (session: string) => {
      const lease = await log.openWriter(session)
      const records = Array.from({ length: 100 }, (_, seq) => testRecord(session, seq))
      await log.append({ lease, firstSeq: 0, at: 1, records, ends: session !== 'sess_5' })
    }
    for (let index = 0; index < 10; index++) await write(`sess_${index}`)
    await log.retire({ endedBefore: 0 })
    await write('sess_tail')
    for (const name of await logFiles(other.path))
      await cp(join(other.path, name), join(directory.path, name))
    await log.close()
    await other.remove()
    other = await createDataDirectory()
  }

  const logFiles = async (path: string) =>
    (await readdir(path)).filter((name) => /^(log\.mdb|tail-\d+\.log)$/.test(name))

  async function problemsOf(path: string): Promise<readonly LogProblem[]> {
    const problems: LogProblem[] = []
    await verifyLog(path, (problem) => problems.push(problem))
    return problems
  }

  async function damage(write: (batch: StoreBatch) => void): Promise<void> {
    const store = openStore(directory.path)
    await store.write(write)
    await store.close()
  }

  test('is counted', async () => {
    await fill()
    const stat = await statLog(directory.path)
    expect(stat).toMatchObject({ sessions: 11, endedSessions: 10, records: 1100 })
    expect(stat.diskBytes).toBeGreaterThan(stat.bytes)
    expect(await codeOf(statLog(other.path))).toBe('unreadable_input')
  })

  test('is verified, tail included', async () => {
    await fill()
    const problems: LogProblem[] = []
    const verification = await verifyLog(directory.path, (problem) => problems.push(problem))
    expect(verification).toEqual({ sessions: 11, records: 1100, problems: 0 })
    expect(problems).toEqual([])
  })

  test.each<[string, (batch: StoreBatch) => void, LogProblem]>([
    [
      'a chunk that is cut',
      (batch) => batch.put('records', seqKey('sess_3', 0), Buffer.from([1, 9, 0, 0])),
      { session: 'sess_3', seq: 0, message: 'a chunk cannot be read' },
    ],
    [
      'a chunk that is missing',
      (batch) => batch.remove('records', seqKey('sess_3', 0)),
      { session: 'sess_3', seq: 0, message: 'records are missing or there twice' },
    ],
    [
      'a head that is no JSON',
      (batch) => batch.put('heads', sessionKey('sess_3'), Buffer.from('{')),
      { session: 'sess_3', message: 'the head cannot be read' },
    ],
    [
      'a head that is missing',
      (batch) => batch.remove('heads', sessionKey('sess_3')),
      { session: 'sess_3', message: 'there are records without a head' },
    ],
    [
      'a session that was deleted',
      (batch) => batch.put('deleted', sessionKey('sess_3'), Buffer.from([1])),
      { session: 'sess_3', message: 'the session was deleted and is there' },
    ],
    [
      'a tail that does not fit',
      (batch) => putTailPlace(batch, { file: 2, commit: 7 }),
      { message: 'the tail cannot be read' },
    ],
    [
      'a tail that is missing',
      (batch) => putTailPlace(batch, { file: 3, commit: 0 }),
      { message: 'the tail cannot be read' },
    ],
  ])('is found wrong with %s', async (_, write, problem) => {
    await fill()
    await damage(write)
    expect(await problemsOf(directory.path)).toContainEqual(problem)
  })

  test('is exported, oldest sessions first, or those that are asked for', async () => {
    await fill()
    const sessions: string[] = []
    for await (const { session, record } of exportLog(directory.path)) {
      if (record.seq === 0) sessions.push(session)
      expect(Buffer.compare(record.bytes, testRecord(session, record.seq))).toBe(0)
    }
    expect(sessions).toEqual([...Array.from({ length: 10 }, (_, index) => `sess_${index}`), 'sess_tail'])
    let count = 0
    for await (const { session } of exportLog(directory.path, {
      sessions: ['sess_2', 'sess_none', 'sess_tail'],
    })) {
      expect(['sess_2', 'sess_tail']).toContain(session)
      count += 1
    }
    expect(count).toBe(200)
  })

  test('is smaller when it is compacted after deletes, and has what it had', async () => {
    await fill()
    const log = await openLmdbLog({ directory: directory.path, minFreeBytes: 0 })
    expect(await codeOf(compactLog(directory.path))).toBe('data_in_use')
    for (let index = 0; index < 9; index++) await log.delete(`sess_${index}`)
    await log.close()
    const { bytesBefore, bytesAfter } = await compactLog(directory.path)
    expect(bytesAfter).toBeLessThan(bytesBefore / 2)
    expect(await problemsOf(directory.path)).toEqual([])
    expect(await statLog(directory.path)).toMatchObject({ sessions: 2, records: 200 })
    expect((await readdir(directory.path)).filter((name) => !/^(log\.mdb|tail-)/.test(name))).toEqual([])
    const again = await openLmdbLog({ directory: directory.path, minFreeBytes: 0 })
    expect(await again.isDeleted('sess_3')).toBe(true)
    expect(await readAll(again, 'sess_tail')).toHaveLength(100)
    await again.close()
  })

  test('is backed up while its owner writes and regroups, and the copy is whole and complete', async () => {
    const work: LogWork = {
      kind: 'delete',
      directory: directory.path,
      name: 'b',
      regroupBytes: 100_000,
      recordsPerSession: 2000,
    }
    const witness = createWitness()
    let tellBusy: (worker: Worker) => void = () => {}
    const busy = new Promise<Worker>((resolve) => {
      tellBusy = resolve
    })
    const ended = startWorker(work, (report, worker) => {
      hear(witness, report)
      if (witness.deleted.size > 3) tellBusy(worker)
    })
    const worker = await busy
    try {
      const firstFiles = await logFiles(directory.path)
      for (let round = 0; round < Math.min(runs(4), maxBackups); round++) {
        const target = join(other.path, `backup${round}`)
        const appended = new Map(witness.appended)
        const deleted = new Set(witness.deleted)
        worker.kill('SIGCONT')
        await backupLog(directory.path, target)
        if (round === 0) expect(await problemsOf(directory.path)).toEqual([])
        // The worker writes faster than the backup can be verified.
        worker.kill('SIGSTOP')
        expect(await problemsOf(target)).toEqual([])
        expect((await statLog(directory.path)).records).toBeGreaterThan(0)
        expect(await codeOf(backupLog(directory.path, target))).toBe('bad_request')
        const log = await openLmdbLog({ directory: target, minFreeBytes: 0 })
        for (const session of deleted) expect(await log.isDeleted(session)).toBe(true)
        for (const [session, seq] of appended) {
          if (witness.deleting.has(session)) continue
          const records = await readAll(log, session)
          expect(records.length).toBeGreaterThan(seq)
          const wrong = records.filter(
            (record) => Buffer.compare(record.bytes, testRecord(session, record.seq)) !== 0,
          )
          expect(wrong).toEqual([])
        }
        await log.close()
        await rm(target, { recursive: true })
      }
      expect(await logFiles(directory.path)).not.toEqual(firstFiles)
    } finally {
      worker.kill('SIGKILL')
      await ended
    }
  })

  test('is restored from a backup into an empty directory only', async () => {
    await fill()
    const target = join(other.path, 'backup')
    await backupLog(directory.path, target)
    expect(await logFiles(target)).toEqual(['log.mdb', 'tail-2.log'])
    expect(await codeOf(restoreLog(target, directory.path))).toBe('bad_request')
    const restored = join(other.path, 'restored')
    await restoreLog(target, restored)
    expect(await statLog(restored)).toMatchObject({ sessions: 11, records: 1100 })
    const log = await openLmdbLog({ directory: restored, minFreeBytes: 0 })
    expect(await readAll(log, 'sess_5')).toHaveLength(100)
    expect(await readAll(log, 'sess_tail')).toHaveLength(100)
    await log.close()
    expect(await codeOf(restoreLog(join(other.path, 'nothing'), join(other.path, 'new')))).toBe(
      'unreadable_input',
    )
  })
})
