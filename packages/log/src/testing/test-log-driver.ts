import { omitUndefined } from '@sluice/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../log.ts'
import type { LogBench, LogDriver } from './log-driver.ts'
import { testLogModel } from './test-log-model.ts'
import { appendTexts, bytesOf, codeOf, nextSeq, readAll, textsOf, writeSession } from './write-session.ts'

/** The suite that every log driver passes. */
export function testLogDriver(driver: LogDriver): void {
  describe(`the log driver ${driver.name}`, () => {
    let bench: LogBench
    let log: Log
    beforeEach(async () => {
      bench = await driver.create()
      log = await bench.open()
    })
    afterEach(async () => {
      await log.close()
      await bench.dispose()
    })
    const all = { maxBytes: 1 << 20 }
    const reopen = async () => {
      await log.close()
      log = await bench.open()
    }

    describe('append()', () => {
      test('makes records readable in their order', async () => {
        const lease = await log.openWriter('sess_a')
        expect(lease.head).toBeUndefined()
        await appendTexts(log, lease, { texts: ['a', 'b'] })
        await appendTexts(log, lease, { texts: ['c'], at: 2000 })
        expect(textsOf(await log.read('sess_a', 0, all))).toEqual(['0:a', '1:b', '2:c'])
        expect(await log.head('sess_a')).toMatchObject({
          createdAt: 1000,
          updatedAt: 2000,
          lastSeq: 2,
          bytes: 3,
          endedAt: undefined,
        })
      })

      test('takes effect in the order of the calls, without waiting in between', async () => {
        const lease = await log.openWriter('sess_a')
        const appends = Array.from({ length: 200 }, (_, firstSeq) =>
          log.append({ lease, firstSeq, at: firstSeq, records: [bytesOf(`r${firstSeq}`)] }),
        )
        await Promise.all(appends)
        expect(textsOf(await readAll(log, 'sess_a'))).toEqual(
          Array.from({ length: 200 }, (_, seq) => `${seq}:r${seq}`),
        )
      })

      test('creates a session also without a record', async () => {
        await writeSession(log, 'sess_a', { texts: [], info: { label: 'x' } })
        expect(await log.head('sess_a')).toMatchObject({ lastSeq: -1, bytes: 0, info: { label: 'x' } })
        expect(await log.read('sess_a', 0, all)).toEqual([])
      })

      test('keeps records of any size, also empty ones', async () => {
        const records = [0, 1, 200, 4095, 65_536, 300_000, 3_000_000, 5].map((size) =>
          Buffer.alloc(size, size % 251),
        )
        const lease = await log.openWriter('sess_a')
        await log.append({ lease, firstSeq: 0, at: 1, records })
        const read = await readAll(log, 'sess_a')
        expect(read.map(({ bytes }) => Buffer.compare(bytes, records[0] ?? bytes) && bytes.length)).toEqual(
          records.map((record) => record.length),
        )
        for (const { seq, bytes } of read)
          expect(Buffer.from(bytes).equals(records[seq] ?? Buffer.alloc(1))).toBe(true)
      })

      test('keeps what it was given, whatever the caller does with its bytes later', async () => {
        const lease = await log.openWriter('sess_a')
        const record = bytesOf('before')
        await log.append({ lease, firstSeq: 0, at: 1, records: [record] })
        record.fill(0)
        expect(textsOf(await log.read('sess_a', 0, all))).toEqual(['0:before'])
      })

      test('refuses a number that is not the next, and what was called behind it', async () => {
        const lease = await writeSession(log, 'sess_a', { texts: ['a'] })
        const append = (firstSeq: number) => log.append({ lease, firstSeq, at: 1, records: [bytesOf('x')] })
        const codes = [append(0), append(1), append(2)].map(codeOf)
        expect(await Promise.all(codes)).toEqual(['log_conflict', 'log_conflict', 'log_conflict'])
        await append(1)
        expect(textsOf(await readAll(log, 'sess_a'))).toEqual(['0:a', '1:x'])
      })

      test('refuses everything after the end', async () => {
        const lease = await writeSession(log, 'sess_a', { texts: ['a'], ends: true, at: 5 })
        expect(await log.head('sess_a')).toMatchObject({ endedAt: 5, lastSeq: 0 })
        expect(await codeOf(appendTexts(log, lease, { texts: ['b'] }))).toBe('session_ended')
        expect(await codeOf(appendTexts(log, lease, { texts: [], marks: { q: 1 } }))).toBe('session_ended')
        expect(await codeOf(writeSession(log, 'sess_a', { texts: ['b'] }))).toBe('session_ended')
      })

      test('moves the numbers of producers together with the records', async () => {
        const lease = await writeSession(log, 'sess_a', {
          texts: ['a'],
          producers: { p: { epoch: 1, seq: 4 } },
        })
        await appendTexts(log, lease, {
          texts: ['b'],
          producers: { q: { epoch: 0, seq: 0 }, ['__proto__']: { epoch: 0, seq: 7 } },
        })
        await appendTexts(log, lease, { texts: [], producers: { p: { epoch: 2, seq: 0 } } })
        const producers = (await log.head('sess_a'))?.producers ?? {}
        expect(Object.entries(producers).sort()).toEqual([
          ['__proto__', { epoch: 0, seq: 7 }],
          ['p', { epoch: 2, seq: 0 }],
          ['q', { epoch: 0, seq: 0 }],
        ])
        expect(producers['constructor']).toBeUndefined()
      })
    })

    describe('openWriter()', () => {
      test('fences who had the session open, and tells what it wrote', async () => {
        const first = await writeSession(log, 'sess_a', { texts: ['a'] })
        const pending = log.append({ lease: first, firstSeq: 1, at: 1, records: [bytesOf('b')] })
        const second = await log.openWriter('sess_a')
        await pending
        expect(nextSeq(second.head)).toBe(2)
        expect(await codeOf(log.append({ lease: first, firstSeq: 2, at: 1, records: [bytesOf('c')] }))).toBe(
          'fenced',
        )
        await log.append({ lease: second, firstSeq: 2, at: 1, records: [bytesOf('d')] })
        expect(textsOf(await readAll(log, 'sess_a'))).toEqual(['0:a', '1:b', '2:d'])
      })

      test('fences nobody in another session', async () => {
        const first = await writeSession(log, 'sess_a', { texts: ['a'] })
        await log.openWriter('sess_b')
        expect(await codeOf(appendTexts(log, first, { texts: ['b'] }))).toBe('none')
      })
    })

    describe('read()', () => {
      test('begins at any number and keeps within its limit', async () => {
        await writeSession(log, 'sess_a', { texts: ['aaa', 'bbb', 'ccc', 'ddd'] })
        const from = async (seq: number, maxBytes: number) =>
          textsOf(await log.read('sess_a', seq, { maxBytes }))
        expect(await from(1, 6)).toEqual(['1:bbb', '2:ccc'])
        expect(await from(1, 5)).toEqual(['1:bbb'])
        expect(await from(3, 0)).toEqual(['3:ddd'])
        expect(await from(-5, 3)).toEqual(['0:aaa'])
        expect(await from(4, 100)).toEqual([])
        expect(await from(400, 100)).toEqual([])
        expect(await log.read('sess_unknown', 0, all)).toEqual([])
      })

      test('gives bytes that later reads leave alone', async () => {
        await writeSession(log, 'sess_a', { texts: ['first'.repeat(1000), 'second'.repeat(1000)] })
        if (driver.survivesRestart) await reopen()
        const [first] = await log.read('sess_a', 0, { maxBytes: 1 })
        await readAll(log, 'sess_a')
        expect(new TextDecoder().decode(first?.bytes)).toBe('first'.repeat(1000))
      })
    })

    describe('checkpoint()', () => {
      test('answers the latest that is not too late', async () => {
        await writeSession(log, 'sess_a', { texts: ['a', 'b', 'c'] })
        await log.putCheckpoint('sess_a', { seq: 2, bytes: bytesOf('two') })
        await log.putCheckpoint('sess_a', { seq: 0, bytes: bytesOf('zero') })
        const at = async (seq: number) => (await log.checkpoint('sess_a', seq))?.seq
        expect([await at(-1), await at(0), await at(1), await at(2), await at(9)]).toEqual([
          undefined,
          0,
          0,
          2,
          2,
        ])
        expect(await log.checkpoint('sess_b', 9)).toBeUndefined()
      })

      test('answers the one that was put last under a number', async () => {
        await writeSession(log, 'sess_a', { texts: ['a'] })
        await log.putCheckpoint('sess_a', { seq: 0, bytes: bytesOf('old') })
        await log.putCheckpoint('sess_a', { seq: 0, bytes: bytesOf('new') })
        expect(Buffer.from((await log.checkpoint('sess_a', 0))?.bytes ?? []).toString()).toBe('new')
      })
    })

    describe('list()', () => {
      test('begins with the newest and goes on where it was told', async () => {
        for (const [index, session] of ['sess_c', 'sess_a', 'sess_b', 'sess_d'].entries()) {
          await writeSession(log, session, { texts: ['x'], at: index === 2 ? 1 : index })
        }
        const first = await log.list({ limit: 3 })
        expect(first.map(({ session }) => session)).toEqual(['sess_d', 'sess_b', 'sess_a'])
        const before = first.at(-1)
        const rest = await log.list(omitUndefined({ limit: 3, before }))
        expect(rest.map(({ session }) => session)).toEqual(['sess_c'])
        expect(await log.list({ limit: 3, before: { createdAt: 1, session: 'sess_a0' } })).toHaveLength(2)
        expect(await log.list({ limit: 0 })).toEqual([])
      })
    })

    describe('marks()', () => {
      test('finds what was set and not removed, by the beginning of its name', async () => {
        const lease = await writeSession(log, 'sess_a', {
          texts: ['a'],
          marks: { 'question:1': { until: 5 }, other: true },
        })
        await appendTexts(log, lease, { texts: [], marks: { 'question:2': 'x' } })
        await appendTexts(log, lease, { texts: [], marks: { 'question:1': null } })
        await writeSession(log, 'sess_b', { texts: [], marks: { 'question:1': 0 } })
        const found = [...(await log.marks('question:'))].sort((a, b) => (a.session < b.session ? -1 : 1))
        expect(found).toEqual([
          { session: 'sess_a', name: 'question:2', value: 'x' },
          { session: 'sess_b', name: 'question:1', value: 0 },
        ])
        await log.delete('sess_b')
        expect(await log.marks('question:1')).toEqual([])
        expect(await log.marks('')).toHaveLength(2)
      })
    })

    describe('delete()', () => {
      test('removes a session with all it has, and its id stays taken', async () => {
        const lease = await writeSession(log, 'sess_a', { texts: ['a'], marks: { q: 1 } })
        await log.putCheckpoint('sess_a', { seq: 0, bytes: bytesOf('state') })
        expect(await log.delete('sess_a')).toBe(true)
        expect(await log.head('sess_a')).toBeUndefined()
        expect(await log.read('sess_a', 0, all)).toEqual([])
        expect(await log.checkpoint('sess_a', 0)).toBeUndefined()
        expect(await log.marks('')).toEqual([])
        expect(await log.list({ limit: 9 })).toEqual([])
        expect(await log.isDeleted('sess_a')).toBe(true)
        expect(await codeOf(appendTexts(log, lease, { texts: ['b'], firstSeq: 1 }))).toBe('session_deleted')
        expect(await codeOf(log.openWriter('sess_a'))).toBe('session_deleted')
        expect(await bench.stat(log)).toMatchObject({ sessions: 0, records: 0, bytes: 0 })
      })

      test('is false where there is nothing, and takes no id then', async () => {
        expect(await log.delete('sess_a')).toBe(false)
        await log.openWriter('sess_b')
        expect(await log.delete('sess_b')).toBe(false)
        expect(await log.isDeleted('sess_b')).toBe(false)
        await writeSession(log, 'sess_a', { texts: ['a'] })
        expect(await log.delete('sess_a')).toBe(true)
        expect(await log.delete('sess_a')).toBe(false)
      })

      test('comes after the appends that were called before it', async () => {
        const lease = await log.openWriter('sess_a')
        const append = log.append({ lease, firstSeq: 0, at: 1, records: [bytesOf('a')] })
        const deleted = log.delete('sess_a')
        await append
        expect(await deleted).toBe(true)
        expect(await log.head('sess_a')).toBeUndefined()
      })

      test('comes before the appends that are called after it', async () => {
        const lease = await writeSession(log, 'sess_a', { texts: ['a'] })
        await log.retire({})
        await log.retire({})
        const deleted = log.delete('sess_a')
        const late = Array.from({ length: 20 }, async () => {
          await Promise.resolve()
          return codeOf(log.append({ lease, firstSeq: 1, at: 1, records: [bytesOf('b')] }))
        })
        expect(await Promise.all(late)).toEqual(Array(20).fill('session_deleted'))
        expect(await deleted).toBe(true)
        expect(await log.head('sess_a')).toBeUndefined()
        expect(await bench.stat(log)).toMatchObject({ sessions: 0, records: 0 })
      })

      test('leaves other sessions alone, also with names that begin alike', async () => {
        for (const session of ['sess_a', 'sess_aa', 'sess_'])
          await writeSession(log, session, { texts: [session] })
        await log.delete('sess_a')
        expect(textsOf(await readAll(log, 'sess_aa'))).toEqual(['0:sess_aa'])
        expect(textsOf(await readAll(log, 'sess_'))).toEqual(['0:sess_'])
      })
    })

    describe('retire()', () => {
      const endSession = (session: string, endedAt: number, size = 10) =>
        writeSession(log, session, { texts: ['x'.repeat(size)], at: endedAt, ends: true })

      test('removes what ended before a time, and nothing that is open', async () => {
        await endSession('sess_new', 30)
        await endSession('sess_old', 10)
        await writeSession(log, 'sess_open', { texts: ['x'], at: 1 })
        await endSession('sess_older', 5)
        expect(await log.retire({ endedBefore: 30 })).toEqual(['sess_older', 'sess_old'])
        expect((await log.list({ limit: 9 })).map(({ session }) => session)).toEqual([
          'sess_new',
          'sess_open',
        ])
        expect(await log.isDeleted('sess_old')).toBe(true)
        expect(await codeOf(log.openWriter('sess_old'))).toBe('session_deleted')
      })

      test('removes what ended first until the rest is small enough', async () => {
        await endSession('sess_b', 20)
        await endSession('sess_a', 10)
        await endSession('sess_c', 30)
        await writeSession(log, 'sess_open', { texts: ['x'.repeat(10)] })
        expect(await log.retire({ maxBytes: 40 })).toEqual([])
        expect(await log.retire({ maxBytes: 25 })).toEqual(['sess_a', 'sess_b'])
        expect(await log.retire({ maxBytes: 0 })).toEqual(['sess_c'])
        expect(await bench.stat(log)).toMatchObject({ sessions: 1, endedSessions: 0, records: 1, bytes: 10 })
      })

      test('does nothing without a rule', async () => {
        await endSession('sess_a', 1)
        expect(await log.retire({})).toEqual([])
      })
    })

    test('its sessions and records are counted', async () => {
      await writeSession(log, 'sess_a', { texts: ['abc', 'd'] })
      await writeSession(log, 'sess_b', { texts: ['ef'], ends: true })
      expect(await bench.stat(log)).toMatchObject({ sessions: 2, endedSessions: 1, records: 3, bytes: 6 })
    })

    test('a healthy log is writable', async () => {
      expect(log.health()).toEqual({ writable: true })
      log.onHealth(() => {})()
    })

    test('close() lets appends under way finish, and refuses what comes after', async () => {
      const lease = await log.openWriter('sess_a')
      const append = log.append({ lease, firstSeq: 0, at: 1, records: [bytesOf('a')] })
      const closed = log.close()
      expect(await codeOf(log.append({ lease, firstSeq: 1, at: 1, records: [bytesOf('b')] }))).toBe('closed')
      await append
      await closed
      expect(await codeOf(log.openWriter('sess_a'))).toBe('closed')
      expect(await codeOf(log.read('sess_a', 0, all))).toBe('closed')
      await log.close()
    })

    describe.skipIf(!driver.survivesRestart)('after a restart', () => {
      test('everything is as it was', async () => {
        const producers = { p: { epoch: 1, seq: 2 } }
        await writeSession(log, 'sess_a', {
          texts: ['a', 'b'],
          producers,
          info: { label: 'x' },
          marks: { q: { deep: [1] } },
        })
        await writeSession(log, 'sess_b', { texts: ['c'], ends: true, at: 7 })
        await writeSession(log, 'sess_c', { texts: ['d'] })
        await log.putCheckpoint('sess_a', { seq: 1, bytes: bytesOf('state') })
        await log.delete('sess_c')
        const see = async () => ({
          heads: (await log.list({ limit: 9 })).map((head) => ({
            ...head,
            producers: { ...head.producers },
          })),
          a: textsOf(await readAll(log, 'sess_a')),
          b: textsOf(await readAll(log, 'sess_b')),
          marks: await log.marks(''),
          checkpoint: Buffer.from((await log.checkpoint('sess_a', 5))?.bytes ?? []).toString(),
          deleted: await log.isDeleted('sess_c'),
          records: (await bench.stat(log)).records,
        })
        const before = await see()
        await reopen()
        expect(await see()).toEqual(before)
        await reopen()
        expect(await see()).toEqual(before)
        expect(before).toMatchObject({ checkpoint: 'state', deleted: true, records: 3 })
      })

      test('a session goes on where it stood, and its end stays', async () => {
        await writeSession(log, 'sess_a', { texts: ['a'] })
        await writeSession(log, 'sess_b', { texts: ['b'], ends: true })
        await reopen()
        const lease = await log.openWriter('sess_a')
        expect(nextSeq(lease.head)).toBe(1)
        await appendTexts(log, lease, { texts: ['c'] })
        expect(textsOf(await readAll(log, 'sess_a'))).toEqual(['0:a', '1:c'])
        expect(await codeOf(writeSession(log, 'sess_b', { texts: ['x'] }))).toBe('session_ended')
      })
    })

    testLogModel(driver)
  })
}
