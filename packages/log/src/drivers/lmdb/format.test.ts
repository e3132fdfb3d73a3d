import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { backupLog } from '../../maintenance/copy-log.ts'
import { statLog } from '../../maintenance/stat-log.ts'
import { verifyLog } from '../../maintenance/verify-log.ts'
import { createDataDirectory } from '../../testing/data-directory.ts'
import { testRecord } from '../../testing/test-record.ts'
import { readAll, writeSession } from '../../testing/write-session.ts'
import { appendBytes, encodeCommitChunk, encodeExtra } from './commit-chunk.ts'
import { openLmdbLog } from './open-lmdb-log.ts'
import { openStore } from './store.ts'
import { listTailFiles } from './tail-file.ts'

async function beginOldStore(directory: string, format: number): Promise<void> {
  const store = openStore(directory, { create: true })
  await store.write((batch) => batch.put('meta', Buffer.from('format'), Buffer.from(String(format))))
  await store.close()
}

/** Writes the log that format 1 had: commits in the table `tail`, by an f64 number. */
async function writeFormat1(directory: string): Promise<void> {
  await beginOldStore(directory, 1)
  const store = openStore(directory)
  await store.write((batch) => {
    for (let number = 0; number < 20; number++) {
      const session = `sess_${number % 4}`
      const seq = Math.floor(number / 4)
      const records = [testRecord(session, seq)]
      const sessionBytes = Buffer.from(session)
      const extra = encodeExtra({ producers: { p: { epoch: 1, seq } }, marks: { [`m${seq}`]: seq } })
      const size = appendBytes({ sessionBytes, extra, count: 1, recordBytes: records[0]?.length ?? 0 })
      const append = { sessionBytes, firstSeq: seq, at: 1000 + number, ends: seq === 4, extra, records, size }
      const key = Buffer.alloc(8)
      key.writeDoubleBE(number)
      batch.put('tail', key, encodeCommitChunk([append]).bytes)
    }
  })
  await store.close()
}

test('a log of format 1 is read as it is, and brought up to date when it is opened', async () => {
  const directory = await createDataDirectory()
  const backup = await createDataDirectory()
  try {
    await writeFormat1(directory.path)
    const expected = { sessions: 4, endedSessions: 4, records: 20 }
    expect(await statLog(directory.path)).toMatchObject(expected)
    await backupLog(directory.path, backup.path)
    expect(await readdir(backup.path)).toContain('log.mdb')
    for (const path of [directory.path, backup.path]) {
      const log = await openLmdbLog({ directory: path, minFreeBytes: 0 })
      expect(await listTailFiles(path)).toEqual([1])
      for (const session of ['sess_0', 'sess_1', 'sess_2', 'sess_3']) {
        const records = await readAll(log, session)
        expect(records.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4])
        for (const { seq, bytes } of records) expect(Buffer.compare(bytes, testRecord(session, seq))).toBe(0)
        expect(await log.head(session)).toMatchObject({ lastSeq: 4, producers: { p: { epoch: 1, seq: 4 } } })
      }
      expect(await log.marks('m')).toHaveLength(20)
      await writeSession(log, 'sess_new', { texts: ['x'] })
      await log.close()
      const store = openStore(path, { readOnly: true })
      expect(store.get('meta', Buffer.from('format'))?.toString()).toBe('3')
      expect([...store.rows('tail')]).toEqual([])
      await store.close()
      expect(await statLog(path)).toMatchObject({ sessions: 5, records: 21 })
    }
    const problems: unknown[] = []
    await verifyLog(backup.path, (problem) => problems.push(problem))
    expect(problems.filter((problem) => !JSON.stringify(problem).includes('sess_new'))).toEqual([])
  } finally {
    await directory.remove()
    await backup.remove()
  }
})
