import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { statLog } from '../../maintenance/stat-log.ts'
import { verifyLog } from '../../maintenance/verify-log.ts'
import { createDataDirectory } from '../../testing/data-directory.ts'
import { runs } from '../../testing/runs.ts'
import { testRecord } from '../../testing/test-record.ts'
import { readAll } from '../../testing/write-session.ts'
import { openLmdbLog } from './open-lmdb-log.ts'
import { fileHeadBytes, listTailFiles, tailFileName } from './tail-file.ts'

const sessions = Array.from({ length: 8 }, (_, index) => `sess_r${index}`)

test('while tails are regrouped, appends, reads, checkpoints and deletes go on and see one log', async () => {
  const directory = await createDataDirectory()
  const perSession = runs(400)
  const open = () => openLmdbLog({ directory: directory.path, minFreeBytes: 0, regroupBytes: 60_000 })
  const log = await open()
  let isWriting = true
  let seenBoth = 0

  async function write(session: string): Promise<void> {
    const lease = await log.openWriter(session)
    for (let seq = 0; seq < perSession; seq++) {
      await log.append({
        lease,
        firstSeq: seq,
        at: 1000 + seq,
        records: [testRecord(session, seq)],
        marks: { last: seq, odd: seq % 2 === 0 ? null : seq },
        ends: seq === perSession - 1,
      })
      const [record] = await log.read(session, seq, { maxBytes: 1 })
      expect(record?.seq).toBe(seq)
      if (seq % 50 === 7) await log.putCheckpoint(session, { seq, bytes: testRecord(session, seq) })
      if (seq > 60) expect((await log.checkpoint(session, seq))?.seq).toBe(seq - ((seq - 7) % 50))
      expect((await log.head(session))?.lastSeq).toBe(seq)
    }
  }

  /** Reads a session during its writes. */
  async function follow(session: string): Promise<void> {
    let next = 0
    while (isWriting && next < perSession) {
      const records = await log.read(session, next, { maxBytes: 256 * 1024 })
      if (records.length === 0) await setImmediate()
      for (const { seq, bytes } of records) {
        expect(seq).toBe(next)
        expect(Buffer.compare(bytes, testRecord(session, seq))).toBe(0)
        next += 1
      }
    }
    expect(next).toBe(perSession)
  }

  async function writeAndDelete(): Promise<number> {
    let deleted = 0
    for (; isWriting; deleted++) {
      const session = `sess_d${deleted}`
      const lease = await log.openWriter(session)
      for (let seq = 0; seq < 1 + (deleted % 5); seq++)
        await log.append({
          lease,
          firstSeq: seq,
          at: 1,
          records: [testRecord(session, seq)],
          marks: { d: 1 },
        })
      const deleting = log.delete(session)
      expect((await log.read(session, 0, { maxBytes: 1 })).length).toBeLessThanOrEqual(1)
      expect(await deleting).toBe(true)
      expect(await log.head(session)).toBeUndefined()
      expect(await log.read(session, 0, { maxBytes: 1 })).toEqual([])
      expect(await log.isDeleted(session)).toBe(true)
    }
    return deleted
  }

  /** Lists during the writes, and counts how often a tail file was written while the previous one existed. */
  async function look(): Promise<void> {
    while (isWriting) {
      const heads = await log.list({ limit: 100 })
      expect(new Set(heads.map(({ session }) => session)).size).toBe(heads.length)
      const names = (await log.marks('last')).map(({ session }) => session)
      expect(new Set(names).size).toBe(names.length)
      const files = await listTailFiles(directory.path)
      const last = join(directory.path, tailFileName(files.at(-1) ?? 0))
      const { size } = await stat(last).catch(() => ({ size: 0 }))
      if (files.length > 1 && size > fileHeadBytes) seenBoth += 1
    }
  }

  try {
    const deleting = writeAndDelete()
    const looking = look()
    await Promise.all([...sessions.map(write), ...sessions.map(follow)])
    isWriting = false
    const deleted = await deleting
    await looking
    expect(seenBoth).toBeGreaterThan(0)
    expect(deleted).toBeGreaterThan(0)
    expect(await statLog(directory.path)).toMatchObject({
      sessions: 8,
      endedSessions: 8,
      records: 8 * perSession,
    })
    await log.close()
    const problems: unknown[] = []
    await verifyLog(directory.path, (problem) => problems.push(problem))
    expect(problems).toEqual([])
    const again = await open()
    for (const session of sessions) expect(await readAll(again, session)).toHaveLength(perSession)
    const last = perSession - 1
    const odd = last % 2 === 0 ? [] : [last]
    expect((await again.marks('last')).map(({ value }) => value)).toEqual(sessions.map(() => last))
    expect((await again.marks('odd')).map(({ value }) => value)).toEqual(sessions.flatMap(() => odd))
    expect(await again.marks('d')).toEqual([])
    await again.close()
  } finally {
    isWriting = false
    await directory.remove()
  }
})
