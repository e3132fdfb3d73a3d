import { statLog } from '../../maintenance/stat-log.ts'
import { createDataDirectory } from '../../testing/data-directory.ts'
import { testLogDriver } from '../../testing/test-log-driver.ts'
import { type LmdbLogOptions, openLmdbLog } from './open-lmdb-log.ts'

const bench = (options: Omit<LmdbLogOptions, 'directory'>) => async () => {
  const directory = await createDataDirectory()
  return {
    open: () => openLmdbLog({ directory: directory.path, minFreeBytes: 0, ...options }),
    async stat() {
      const { diskBytes: _, ...counts } = await statLog(directory.path)
      return counts
    },
    dispose: () => directory.remove(),
  }
}

testLogDriver({ name: 'lmdb', survivesRestart: true, modelRuns: 40, create: bench({}) })

// Every commit is regrouped at once, so that almost nothing is read from the tail.
testLogDriver({
  name: 'lmdb without a tail',
  survivesRestart: true,
  modelRuns: 40,
  create: bench({ regroupBytes: 1 }),
})
