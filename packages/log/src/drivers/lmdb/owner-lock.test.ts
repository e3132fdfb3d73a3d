import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSystemClock } from '@sluice/protocol'
import { createDrivenClock } from '@sluice/protocol/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDataDirectory, type DataDirectory } from '../../testing/data-directory.ts'
import { startWorker, type Worker } from '../../testing/run-worker.ts'
import { codeOf } from '../../testing/write-session.ts'
import { openLmdbLog } from './open-lmdb-log.ts'
import { lockDirectory } from './owner-lock.ts'

const day = 86_400_000

describe('the owner of a data directory', () => {
  let directory: DataDirectory
  beforeEach(async () => {
    directory = await createDataDirectory()
  })
  afterEach(() => directory.remove())
  const lock = () => lockDirectory(directory.path, createSystemClock())
  const write = (owner: object) => writeFile(join(directory.path, 'owner.lock'), JSON.stringify(owner))
  const read = async () => JSON.parse(await readFile(join(directory.path, 'owner.lock'), 'utf8'))

  test('keeps others out until it lets go', async () => {
    const first = await lock()
    await expect(lock()).rejects.toMatchObject({ code: 'data_in_use', details: { pid: process.pid } })
    await first.release()
    const second = await lock()
    await first.release()
    await expect(lock()).rejects.toMatchObject({ code: 'data_in_use' })
    await second.release()
    expect(await readdir(directory.path)).toEqual([])
  })

  test('is one, however many try at once', async () => {
    await write({ pid: 2 ** 30, startTime: '1', host: (await lockHost()) ?? '', nonce: 'dead' })
    const results = await Promise.allSettled(Array.from({ length: 20 }, lock))
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(won).toHaveLength(1)
    await won[0]?.release()
    expect(await readdir(directory.path)).toEqual([])
  })

  test('is dead when its pid belongs to another process', async () => {
    await write({ pid: process.pid, startTime: 'long ago', host: await lockHost(), nonce: 'dead' })
    await (await lock()).release()
  })

  test('is replaced when its file cannot be read', async () => {
    await writeFile(join(directory.path, 'owner.lock'), '{"pid":')
    await (await lock()).release()
  })

  test('on another host lives as long as it touches the file', async () => {
    await write({ pid: 1, startTime: undefined, host: 'another.example', nonce: 'far' })
    expect(await codeOf(lock())).toBe('data_in_use')
    for (const touchedAt of [new Date(0), new Date(Date.now() + day)]) {
      await write({ pid: 1, startTime: undefined, host: 'another.example', nonce: 'far' })
      await utimes(join(directory.path, 'owner.lock'), touchedAt, touchedAt)
      const clock = createDrivenClock(Date.now())
      const watched = clock.nextTimer()
      const locked = lockDirectory(directory.path, clock)
      clock.advance(await watched)
      await (await locked).release()
    }
  })

  test.each([-day, day])('on another host whose clock differs by %i ms is alive', async (ms) => {
    await write({ pid: 1, startTime: undefined, host: 'another.example', nonce: 'far' })
    const touch = (at: number) => utimes(join(directory.path, 'owner.lock'), new Date(at), new Date(at))
    await touch(Date.now() + ms)
    const clock = createDrivenClock(Date.now())
    const watched = clock.nextTimer()
    const refused = codeOf(lockDirectory(directory.path, clock))
    const waitMs = await watched
    await touch(Date.now() + ms + 10_000)
    clock.advance(waitMs)
    expect(await refused).toBe('data_in_use')
  })

  test('takes over from one that died while taking over', async () => {
    const host = await lockHost()
    await write({ pid: 2 ** 30, startTime: '1', host, nonce: 'dead' })
    const rival = JSON.stringify({ pid: 2 ** 30 + 1, startTime: '1', host, nonce: 'rival' })
    await writeFile(join(directory.path, 'owner.lock.after-dead'), rival)
    await (await lock()).release()
  })

  async function lockHost(): Promise<string> {
    const other = join(directory.path, 'other')
    await mkdir(other, { recursive: true })
    const held = await lockDirectory(other, createSystemClock())
    const { host } = JSON.parse(await readFile(join(other, 'owner.lock'), 'utf8'))
    await held.release()
    await rm(other, { recursive: true })
    return host
  }

  test('is another process until that is killed, and this one at once afterwards', async () => {
    const work = { kind: 'write', directory: directory.path, name: 'o', regroupBytes: 1 << 20 } as const
    let tellOpened: (worker: Worker) => void = () => {}
    const opened = new Promise<Worker>((resolve) => {
      tellOpened = resolve
    })
    const ended = startWorker(work, (report, worker) => {
      if (report.step === 'opened') tellOpened(worker)
    })
    const worker = await opened
    await expect(openLmdbLog({ directory: directory.path })).rejects.toMatchObject({
      code: 'data_in_use',
      details: { pid: worker.pid },
    })
    worker.kill('SIGKILL')
    // Does not wait for the worker to be reaped: a zombie counts as dead.
    let code = 'data_in_use'
    while (code === 'data_in_use') {
      code = await codeOf(openLmdbLog({ directory: directory.path }).then((log) => log.close()))
    }
    expect(code).toBe('none')
    await ended
    expect(await codeOf(read())).toContain('ENOENT')
  })
})
