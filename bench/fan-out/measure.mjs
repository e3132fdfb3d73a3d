import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

const readerCounts = [200, 1000]

const shapes = {
  one: { row: 'one by one', batchSize: 1, producerCount: 1 },
  batches: { row: 'batches of 50', batchSize: 50, producerCount: 1 },
  // Last, because its events have the latest times.
  many: { row: '32 concurrent single posts', batchSize: 1, producerCount: 32 },
}

// How much each server delivers, by shape: enough to measure, but not more than it manages in a while.
const own = { one: 400_000, batches: 1_600_000, many: 1_600_000 }
const deliveries = {
  sluice: own,
  'floor, same log': own,
  'floor, file': own,
  'durable-streams, memory': { one: 80_000, batches: 300_000, many: 80_000 },
  // One batch takes it seconds: few readers, and no time to warm up.
  'durable-streams, file': { one: 800, batches: 10_000, many: 6400 },
}

/** One run of one server, by row: deliveries per second of its processor time and of wall time. */
export async function measureServer(name, share) {
  const isSlow = name === 'durable-streams, file'
  const rows = {}
  for (const readerCount of isSlow ? readerCounts.slice(0, 1) : readerCounts) {
    const server = await startServer(name)
    const load = await startChild('load/fan-out.mjs')
    await load.ask('connect', { port: server.port, kind: server.target, readerCount })
    for (const [shape, count] of Object.entries(deliveries[name])) {
      const { row, ...given } = shapes[shape]
      const batches = Math.max(1, Math.round((count * share) / given.batchSize / readerCount))
      // As many again: until V8 has optimised the way of a request, one costs twice as much.
      if (!isSlow) await load.ask('run', { ...given, batches })
      const before = await server.usage()
      const { deliveries: done } = await load.ask('run', { ...given, batches })
      const after = await server.usage()
      rows[`${readerCount} readers, ${row}`] = {
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
