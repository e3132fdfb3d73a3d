import { appendFile, open, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { copyLogFiles } from '../../testing/copy-log-files.ts'
import { createDataDirectory, type DataDirectory } from '../../testing/data-directory.ts'
import { appendTexts, codeOf, readAll, textsOf, writeSession } from '../../testing/write-session.ts'
import { openLmdbLog } from './open-lmdb-log.ts'
import { listTailFiles, tailFileName } from './tail-file.ts'

describe('a tail whose last commit was cut off', () => {
  let directory: DataDirectory
  let crashed: string
  let file: string
  let lastFrom: number
  let lastEnd: number
  beforeEach(async () => {
    directory = await createDataDirectory()
    crashed = join(directory.path, 'crashed')
    const owned = join(directory.path, 'owned')
    const log = await openLmdbLog({ directory: owned, minFreeBytes: 0 })
    const lease = await writeSession(log, 's', { texts: ['a'] })
    await log.retire({})
    await appendTexts(log, lease, { texts: ['b'] })
    const path = join(owned, 'tail-2.log')
    lastFrom = (await readFile(path)).length
    await appendTexts(log, lease, { texts: ['c'] })
    lastEnd = (await readFile(path)).length
    await copyLogFiles(owned, crashed)
    await log.close()
    file = join(crashed, 'tail-2.log')
  })
  afterEach(() => directory.remove())

  /** Opens a copy, appends to it, and reopens it as after a crash: no acknowledged record is missing. */
  async function expectToGoOn(texts: readonly string[]): Promise<void> {
    const again = join(directory.path, 'again')
    const after = join(directory.path, 'after')
    await copyLogFiles(crashed, again)
    const log = await openLmdbLog({ directory: again, minFreeBytes: 0 })
    expect(textsOf(await readAll(log, 's'))).toEqual(texts)
    await writeSession(log, 's', { texts: ['later'] })
    await copyLogFiles(again, after)
    await log.close()
    const reopened = await openLmdbLog({ directory: after, minFreeBytes: 0 })
    expect(textsOf(await readAll(reopened, 's'))).toEqual([...texts, `${texts.length}:later`])
    await reopened.close()
    await Promise.all([again, after].map((path) => rm(path, { recursive: true })))
  }

  test('at any byte has everything before it, and loses nothing that is appended later', async () => {
    const whole = await readFile(file)
    await expectToGoOn(['0:a', '1:b', '2:c'])
    for (let end = lastFrom; end < lastEnd; end++) {
      await writeFile(file, whole.subarray(0, end))
      await expectToGoOn(['0:a', '1:b'])
    }
  })

  test('with garbage or zeros behind it is the same', async () => {
    const whole = await readFile(file)
    await appendFile(file, Buffer.alloc(7, 'garbage'))
    await expectToGoOn(['0:a', '1:b', '2:c'])
    for (const end of [lastFrom, lastFrom + 1, lastFrom + 15, lastFrom + 16, lastFrom + 30, lastEnd - 1]) {
      await writeFile(file, Buffer.concat([whole.subarray(0, end), Buffer.alloc(1000)]))
      await expectToGoOn(['0:a', '1:b'])
      await writeFile(file, Buffer.concat([whole.subarray(0, end), Buffer.alloc(1000, 'garbage')]))
      await expectToGoOn(['0:a', '1:b'])
    }
  })

  test('with an empty or half-made file behind it is the same', async () => {
    await truncate(file, lastEnd - 1)
    await writeFile(join(crashed, 'tail-3.log'), '')
    await expectToGoOn(['0:a', '1:b'])
    await writeFile(join(crashed, 'tail-3.log'), 'slt1')
    await expectToGoOn(['0:a', '1:b'])
  })

  test('and that is damaged before its end is refused, and left alone', async () => {
    const refused = () => codeOf(openLmdbLog({ directory: crashed, minFreeBytes: 0 }))
    const whole = await readFile(file)
    for (const place of [0, 4, 8, 12, 20, lastFrom - 1]) {
      const broken = Buffer.from(whole)
      broken[place] = (broken[place] ?? 0) ^ 1
      await writeFile(file, broken)
      expect(await refused()).toBe('damaged_data')
      expect((await readFile(file)).compare(broken)).toBe(0)
    }
    await rm(file)
    expect(await refused()).toBe('damaged_data')
  })

  test('is cut on the disk before anything else is written', async () => {
    await truncate(file, lastEnd - 1)
    const log = await openLmdbLog({ directory: crashed, minFreeBytes: 0 })
    const handle = await open(file)
    expect((await handle.stat()).size).toBe(lastFrom)
    await handle.close()
    expect((await listTailFiles(crashed)).map(tailFileName)).toEqual(['tail-2.log'])
    await log.close()
  })
})
