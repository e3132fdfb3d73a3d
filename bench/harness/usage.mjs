import { setImmediate as nextTurn } from 'node:timers/promises'

/** What a server process reports about itself. `memory` needs --expose-gc. */
export const usageHandlers = {
  /** Processor time of all threads, and wall time, both in ms. */
  usage() {
    const { user, system } = process.cpuUsage()
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() }
  },
  /** Resident memory in bytes, without a garbage collection: what an operator sees. */
  resident: () => process.memoryUsage.rss(),
  /** Memory after a garbage collection. */
  async memory() {
    for (let round = 0; round < 4; round++) {
      globalThis.gc()
      await nextTurn()
    }
    const { rss, heapUsed, external } = process.memoryUsage()
    return { rssBytes: rss, heapBytes: heapUsed + external }
  },
}
