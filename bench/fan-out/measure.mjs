import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

const readerCounts = [200, 1000]

// How much each server delivers, by batch size: enough to measure, but not more than it manages in a while.
const deliveries = {
  sluice: { 1: 60_000, 50: 800_000 },
  'floor, same log': { 1: 60_000, 50: 800_000 },
  'floor, file': { 1: 60_000, 50: 800_000 },
  'durable-streams, memory': { 1: 20_000, 50: 150_000 },
  // One batch takes it seconds: few readers, and no time to warm up.
  'durable-streams, file': { 1: 800, 50: 10_000 },
}

/** One run of one server, by row: deliveries per second of its processor time and of wall time. */
export async function measureServer(name, share) {
  const isSlow = name === 'durable-streams, file'
  const rows = {}
  for (const readerCount of isSlow ? readerCounts.slice(0, 1) : readerCounts) {
    const server = await startServer(name)
    const load = await startChild('load/fan-out.mjs')
    await load.ask('connect', { port: server.port, kind: server.target, readerCount })
    for (const batchSize of [1, 50]) {
      const batches = Math.max(1, Math.round((deliveries[name][batchSize] * share) / batchSize / readerCount))
      if (!isSlow) await load.ask('run', { batchSize, batches: Math.ceil(batches / 3) })
      const before = await server.usage()
      const { deliveries: done } = await load.ask('run', { batchSize, batches })
      const after = await server.usage()
      rows[`${readerCount} readers, batches of ${batchSize}`] = {
        perCpuSecond: (done * 1000) / (after.cpuMs - before.cpuMs),
        perSecond: (done * 1000) / (after.wallMs - before.wallMs),
      }
    }
    await load.ask('close')
    await load.end()
    await server.stop()
  }
  return rows
}
