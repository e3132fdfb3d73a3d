import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LogHealth } from '../../log.ts'
import { createDataDirectory, type DataDirectory } from '../../testing/data-directory.ts'
import { bytesOf, codeOf, readAll, textsOf, writeSession } from '../../testing/write-session.ts'
import { formatRows } from './format-row.ts'
import { type LmdbLogOptions, openLmdbLog } from './open-lmdb-log.ts'
import { openStore } from './store.ts'
import { listTailFiles } from './tail-file.ts'

describe('the lmdb log', () => {
  let directory: DataDirectory
  beforeEach(async () => {
    directory = await createDataDirectory()
  })
  afterEach(() => directory.remove())
  const open = (options: Omit<LmdbLogOptions, 'directory'> = {}) =>
    openLmdbLog({ directory: directory.path, minFreeBytes: 0, ...options })

  test('refuses what is more than may wait, takes nothing of it, and goes on afterwards', async () => {
    const log = await open({ maxWaitingBytes: 1000, maxWaitingAppends: 5 })
    const lease = await log.openWriter('sess_a')
    const append = (firstSeq: number, size: number) =>
      codeOf(log.append({ lease, firstSeq, at: 1, records: [Buffer.alloc(size)] }))
    expect(await Promise.all([append(0, 2000), append(1, 10), append(1, 10)])).toEqual([
      'none',
      'overloaded',
      'overloaded',
    ])
    const many = await Promise.all(Array.from({ length: 8 }, (_, index) => append(1 + index, 1)))
    expect(many).toEqual([...Array(5).fill('none'), ...Array(3).fill('overloaded')])
    expect(await append(6, 10)).toBe('none')
    expect(await readAll(log, 'sess_a')).toHaveLength(7)
    await log.close()
  })

  test('refuses appends while the disk has too little left, and nothing else', async () => {
    const first = await open()
    await writeSession(first, 'sess_a', { texts: ['a'] })
    await first.close()
    const clock = createDrivenClock()
    const log = await open({ minFreeBytes: Number.MAX_SAFE_INTEGER, clock })
    expect(log.health()).toEqual({ writable: false, code: 'storage_full' })
    expect(await codeOf(writeSession(log, 'sess_a', { texts: ['b'] }))).toBe('storage_full')
    expect(textsOf(await readAll(log, 'sess_a'))).toEqual(['0:a'])
    expect(await log.delete('sess_a')).toBe(true)
    await log.close()
  })

  test('regroups after a time, so that a tail does not stay', async () => {
    const clock = createDrivenClock()
    const log = await open({ clock, regroupAfterMs: 5000 })
    await writeSession(log, 'sess_a', { texts: ['a', 'b'] })
    expect(await listTailFiles(directory.path)).toEqual([1])
    clock.advance(5000)
    const isRegrouped = async () => (await listTailFiles(directory.path)).join() === '2'
    while (!(await isRegrouped())) await new Promise((resolve) => setImmediate(resolve))
    await writeSession(log, 'sess_b', { texts: ['c'] })
    const store = openStore(directory.path, { readOnly: true })
    const heads = [...store.rows('heads')].map(({ key }) => key.toString())
    await store.close()
    expect(heads).toEqual(['sess_a'])
    await log.close()
    expect(await listTailFiles(directory.path)).toEqual([3])
  })

  test('keeps the chunks of a slow session few, and those of all below 64 KiB', async () => {
    const log = await open({ regroupBytes: 1 })
    const lease = await log.openWriter('sess_a')
    for (let seq = 0; seq < 100; seq++)
      await log.append({ lease, firstSeq: seq, at: 1, records: [Buffer.alloc(100)] })
    const many = Array.from({ length: 500 }, () => Buffer.alloc(1000))
    await log.append({ lease, firstSeq: 100, at: 1, records: many })
    await log.close()
    const store = openStore(directory.path, { readOnly: true })
    const sizes = [...store.rows('records')].map(({ value }) => value.length)
    await store.close()
    expect(sizes.length).toBeLessThan(15)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536)
  })

  test('refuses names that no key can hold', async () => {
    const log = await open()
    expect(await codeOf(log.openWriter('x'.repeat(2000)))).toBe('bad_request')
    expect(await codeOf(writeSession(log, 'sess_a', { texts: [], marks: { ['x'.repeat(2000)]: 1 } }))).toBe(
      'bad_request',
    )
    expect(await log.head('sess_a')).toBeUndefined()
    await log.close()
  })

  test('refuses data of a newer format, and leaves it alone', async () => {
    const log = await open()
    await log.close()
    const store = openStore(directory.path)
    await store.write((batch) => {
      for (const { key, value } of formatRows(4)) batch.put('meta', key, value)
    })
    await store.close()
    await expect(open()).rejects.toMatchObject({ code: 'newer_data', details: { format: 4, supported: 3 } })
    // The refusal released the directory.
    await expect(open()).rejects.toMatchObject({ code: 'newer_data' })
  })

  test('refuses a file that is no log, or not all of one', async () => {
    const path = join(directory.path, 'log.mdb')
    await writeFile(path, Buffer.alloc(100_000, 7))
    await expect(open()).rejects.toMatchObject({ code: 'damaged_data' })
    await rm(path)
    const log = await open()
    await writeSession(log, 'sess_a', { texts: ['x'.repeat(500_000)] })
    await log.close()
    await truncate(path, 200_000)
    await expect(open()).rejects.toMatchObject({ code: 'damaged_data' })
    await truncate(path, 5000)
    await expect(open()).rejects.toMatchObject({ code: 'damaged_data' })
  })

  test('reads a tail that lies behind a regroup', async () => {
    const log = await open({ regroupBytes: 1 << 30 })
    const lease = await writeSession(log, 'sess_a', { texts: ['a', 'b'] })
    await log.retire({ endedBefore: 1 })
    await log.append({ lease, firstSeq: 2, at: 1, records: [bytesOf('c')] })
    await log.append({ lease, firstSeq: 3, at: 1, records: [bytesOf('d'), bytesOf('e')] })
    const from = async (seq: number) => textsOf(await log.read('sess_a', seq, { maxBytes: 100 }))
    expect(await from(0)).toEqual(['0:a', '1:b', '2:c', '3:d', '4:e'])
    expect(await from(1)).toEqual(['1:b', '2:c', '3:d', '4:e'])
    expect(await from(2)).toEqual(['2:c', '3:d', '4:e'])
    expect(await from(4)).toEqual(['4:e'])
    await log.close()
  })

  test('tells of changes of health to those who still listen', async () => {
    const clock = createDrivenClock()
    const log = await open({ clock, minFreeBytes: Number.MAX_SAFE_INTEGER })
    const heard: LogHealth[] = []
    log.onHealth((health) => heard.push(health))()
    clock.advance(60_000)
    expect(heard).toEqual([])
    await log.close()
  })
})
