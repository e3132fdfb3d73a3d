import { testLogDriver } from '../testing/test-log-driver.ts'
import { countHeads } from '../testing/write-session.ts'
import { createMemoryLog } from './memory.ts'

testLogDriver({
  name: 'memory',
  survivesRestart: false,
  modelRuns: 200,
  create: async () => ({ open: async () => createMemoryLog(), stat: countHeads, dispose: async () => {} }),
})
