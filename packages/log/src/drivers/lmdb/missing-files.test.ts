import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportLog } from '../../maintenance/export-log.ts'
import type { LogLoss } from '../../maintenance/log-loss.ts'
import { repairLog } from '../../maintenance/repair-log.ts'
import { statLog } from '../../maintenance/stat-log.ts'
import { copyLogFiles } from '../../testing/copy-log-files.ts'
import { createDataDirectory, type DataDirectory } from '../../testing/data-directory.ts'
import { appendTexts, codeOf, readAll, textsOf, writeSession } from '../../testing/write-session.ts'
import { openLmdbLog } from './open-lmdb-log.ts'
import type { TornTail } from './tail-contents.ts'

describe('a data directory with missing files', () => {
  let directory: DataDirectory
  let data: string
  beforeEach(async () => {
    directory = await createDataDirectory()
    data = join(directory.path, 'crashed')
    const owned = join(directory.path, 'owned')
    const log = await openLmdbLog({ directory: owned, minFreeBytes: 0 })
    const lease = await writeSession(log, 's', { texts: ['a', 'b'] })
    await log.retire({})
    await appendTexts(log, lease, { texts: ['c'] })
    await copyLogFiles(owned, data)
    await log.close()
  })
  afterEach(() => directory.remove())

  const open = () => openLmdbLog({ directory: data, minFreeBytes: 0 })
  const contents = async () => {
    const names = (await readdir(data)).filter((name) => /^(log\.mdb|tail-\d+\.log)$/.test(name))
    return new Map(
      await Promise.all(
        names.map(async (name) => [name, (await readFile(join(data, name))).toString('hex')] as const),
      ),
    )
  }

  test.each<[string, (store: string, tail: string) => Promise<unknown>, string]>([
    ['no log.mdb', (store) => rm(store), 'log.mdb'],
    ['an empty log.mdb', (store) => truncate(store, 0), 'log.mdb is empty'],
    [
      'a log.mdb that is something else',
      (store) => writeFile(store, 'something else'.repeat(1000)),
      'log.mdb is not a file of LMDB',
    ],
    ['no tail file', (_, tail) => rm(tail), 'tail-2.log is missing'],
    ['an empty tail file', (_, tail) => truncate(tail, 0), 'tail-2.log'],
  ])('is refused with %s, and left as it is', async (_, damage, says) => {
    await damage(join(data, 'log.mdb'), join(data, 'tail-2.log'))
    const before = await contents()
    for (const work of [open, () => statLog(data), open]) {
      await expect(work()).rejects.toMatchObject({
        code: 'damaged_data',
        message: expect.stringContaining(says),
      })
    }
    expect(await contents()).toEqual(before)
  })

  test('and a tail alone gives back its entries', async () => {
    await rm(join(data, 'log.mdb'))
    const losses: LogLoss[] = []
    const texts: string[] = []
    for await (const { record } of exportLog(data, { onLoss: (loss) => losses.push(loss) }))
      texts.push(...textsOf([record]))
    expect(texts).toEqual(['2:c'])
    expect(losses).toContainEqual({ session: 's', fromSeq: 0, toSeq: 1, message: 'entries are missing' })
    const { kept = '' } = await repairLog(data, () => {})
    expect(await readdir(kept)).toEqual(['tail-2.log'])
    const log = await open()
    expect(await codeOf(readAll(log, 's'))).toBe('damaged_data')
    await expect(log.read('s', 0, { maxBytes: 1 })).rejects.toMatchObject({
      details: { session: 's', seq: 0 },
    })
    expect(textsOf(await log.read('s', 2, { maxBytes: 1000 }))).toEqual(['2:c'])
    await writeSession(log, 's', { texts: ['d'] })
    expect(textsOf(await log.read('s', 2, { maxBytes: 1000 }))).toEqual(['2:c', '3:d'])
    await log.close()
  })

  test('begins anew only where nothing was, even after a crash at the first start', async () => {
    const empty = join(directory.path, 'empty')
    await (await openLmdbLog({ directory: empty, minFreeBytes: 0 })).close()
    await rm(join(empty, 'log.mdb'))
    expect((await readdir(empty)).filter((name) => name.startsWith('tail'))).toEqual(['tail-1.log'])
    await writeFile(join(empty, 'log.mdb.draft'), 'half')
    const log = await openLmdbLog({ directory: empty, minFreeBytes: 0 })
    expect(await log.list({ limit: 1 })).toEqual([])
    await log.close()
  })

  test('tells what a crash cut off, and keeps it', async () => {
    const tail = join(data, 'tail-2.log')
    const whole = await readFile(tail)
    await truncate(tail, whole.length - 3)
    const torn: TornTail[] = []
    const log = await openLmdbLog({ directory: data, minFreeBytes: 0, onTorn: (cut) => torn.push(cut) })
    await log.close()
    expect(torn).toEqual([{ file: 'tail-2.log', bytes: whole.length - 3 - 12 }])
    expect((await readFile(join(data, 'torn-2-12.bin'))).equals(whole.subarray(12, -3))).toBe(true)
  })
})
