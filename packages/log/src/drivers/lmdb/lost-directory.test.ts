import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../log.ts'
import { createDataDirectory, type DataDirectory } from '../../testing/data-directory.ts'
import { appendTexts, codeOf, readAll, textsOf, writeSession } from '../../testing/write-session.ts'
import { openLmdbLog } from './open-lmdb-log.ts'

describe('a log whose files vanish while it is open', () => {
  let directory: DataDirectory
  let data: string
  let log: Log
  const clock = createDrivenClock()
  beforeEach(async () => {
    directory = await createDataDirectory()
    data = join(directory.path, 'data')
    log = await openLmdbLog({ directory: data, minFreeBytes: 0, clock })
  })
  afterEach(async () => {
    await log.close()
    await directory.remove()
  })

  test.each<[string, (tail: string) => Promise<unknown>]>([
    ['the directory is removed', () => rm(data, { recursive: true })],
    ['the directory is moved away', () => rename(data, join(directory.path, 'elsewhere'))],
    ['the tail file is removed', (tail) => rm(tail)],
    [
      'another directory takes its place',
      () => rename(data, join(directory.path, 'elsewhere')).then(() => mkdir(data)),
    ],
  ])('acknowledges nothing more when %s', async (_, vanish) => {
    const lease = await writeSession(log, 's', { texts: ['a'] })
    const tail = (await readdir(data)).find((name) => name.startsWith('tail-')) ?? ''
    await vanish(join(data, tail))
    expect(await codeOf(appendTexts(log, lease, { texts: ['b'], firstSeq: 1 }))).toBe('storage_failed')
    expect(log.health()).toEqual({ writable: false, code: 'storage_failed' })
    // The log does not create another one in its place.
    const left = await readdir(data).catch((): string[] => [])
    expect(left.filter((name) => name !== 'log.mdb' && name.startsWith('log.mdb'))).toEqual(
      left.includes('log.mdb') ? ['log.mdb-lock'] : [],
    )
  })

  test('goes on when they are back', async () => {
    const lease = await writeSession(log, 's', { texts: ['a'] })
    const elsewhere = join(directory.path, 'elsewhere')
    await rename(data, elsewhere)
    expect(await codeOf(appendTexts(log, lease, { texts: ['b'], firstSeq: 1 }))).toBe('storage_failed')
    await rename(elsewhere, data)
    const writable = new Promise<void>((resolve) => {
      const stop = log.onHealth((health) => {
        if (!health.writable) return
        stop()
        resolve()
      })
    })
    const tick = setInterval(() => clock.advance(5000), 5)
    await writable
    clearInterval(tick)
    expect(textsOf(await readAll(log, 's'))).toEqual(['0:a'])
    await writeSession(log, 's', { texts: ['c'] })
    expect(textsOf(await readAll(log, 's'))).toEqual(['0:a', '1:c'])
  })
})
