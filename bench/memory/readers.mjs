import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

// Connected before the measurement, so that one-time set-up does not count.
const before = 500

/** The cost of one more idle reader, in KB. */
export async function measureReaders(name, count) {
  const server = await startServer(name, { execArgv: ['--expose-gc'] })
  const load = await startChild('load/idle.mjs')
  const given = { port: server.port, kind: server.target }
  await load.ask('create', given)
  await load.ask('connect', { ...given, readerCount: before })
  const start = await server.ask('memory')
  await load.ask('connect', { ...given, readerCount: before + count })
  const end = await server.ask('memory')
  await load.ask('close')
  await load.end()
  await server.stop()
  return {
    rssKilobytes: (end.rssBytes - start.rssBytes) / count / 1000,
    heapKilobytes: (end.heapBytes - start.heapBytes) / count / 1000,
  }
}
