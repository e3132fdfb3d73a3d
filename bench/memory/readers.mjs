import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

// Whatever the first connections make a server set up once is not what a connection takes.
const before = 500

/** What one more idle reader takes, in KB. */
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
