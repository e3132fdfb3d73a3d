import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backupLog, compactLog, restoreLog } from '../../maintenance/copy-log.ts'
import { createDataDirectory, type DataDirectory } from '../../testing/data-directory.ts'
import { testRecord } from '../../testing/test-record.ts'
import { openLmdbLog } from './open-lmdb-log.ts'

let root: DataDirectory
let umask = 0
beforeEach(async () => {
  root = await createDataDirectory()
  umask = process.umask(0)
})
afterEach(async () => {
  process.umask(umask)
  await root.remove()
})

const placesIn = (path: string) => ({
  data: join(path, 'data'),
  copy: join(path, 'copy'),
  again: join(path, 'again'),
})

/** Every path below a directory that others may look at, and the directory itself. */
function openToOthers(path: string): readonly string[] {
  const found = statSync(path)
  const below = found.isDirectory() ? readdirSync(path).flatMap((name) => openToOthers(join(path, name))) : []
  return (found.mode & 0o077) === 0 ? below : [path, ...below]
}

async function write(directory: string, whileOpen: () => Promise<void> = async () => {}): Promise<void> {
  const log = await openLmdbLog({ directory, minFreeBytes: 0 })
  const lease = await log.openWriter('sess_a')
  await log.append({ lease, firstSeq: 0, at: 1, records: [testRecord('sess_a', 0)], ends: false })
  await whileOpen()
  await log.close()
}

test.skipIf(process.platform === 'win32')(
  'a log, its backup and what is restored from it can be read by their owner alone, whatever the umask',
  async () => {
    const { data, copy, again } = placesIn(join(root.path, 'deep'))
    await write(data, async () => {
      expect(openToOthers(join(root.path, 'deep'))).toEqual([])
      await backupLog(data, copy)
    })
    expect(readdirSync(copy).length).toBeGreaterThan(1)
    await restoreLog(copy, again)
    await compactLog(again)
    expect(openToOthers(join(root.path, 'deep'))).toEqual([])
  },
)

test.skipIf(process.platform === 'win32')(
  'copies are private in a directory that is not, also of a source that is not',
  async () => {
    const { data, copy, again } = placesIn(root.path)
    for (const path of [data, copy, again]) mkdirSync(path)
    await write(data)
    await backupLog(data, copy)
    expect(openToOthers(copy)).toEqual([copy])
    for (const name of readdirSync(copy)) chmodSync(join(copy, name), 0o644)
    await restoreLog(copy, again)
    await compactLog(again)
    expect(openToOthers(again)).toEqual([again])
  },
)

test.skipIf(process.platform === 'win32')('opening a log takes its files away from others', async () => {
  await write(root.path)
  for (const name of readdirSync(root.path)) chmodSync(join(root.path, name), 0o644)
  await (await openLmdbLog({ directory: root.path, minFreeBytes: 0 })).close()
  expect(openToOthers(root.path)).toEqual([])
})
