import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

// Connected before the measurement, so that one-time set-up does not count.
const before = 500

/** The cost of one more idle reader of one session, in KB. */
export function measureReaders(name, count) {
  return measureGrowth(name, {
    count,
    async begin(ask) {
      await ask('create')
      await ask('connect', { readerCount: before })
    },
    grow: (ask) => ask('connect', { readerCount: before + count }),
  })
}

/** The cost of one more session with a reader that received one event, in KB. */
export function measureFollowedSessions(name, count) {
  return measureGrowth(name, {
    count,
    begin: (ask) => ask('follow', { first: 0, count: before }),
    grow: (ask) => ask('follow', { first: before, count }),
  })
}

/** The memory that `grow` adds, divided by `count`. */
async function measureGrowth(name, { count, begin, grow }) {
  const options = { limits: { openSessions: 1_000_000 } }
  const server = await startServer(name, { options, execArgv: ['--expose-gc'] })
  const load = await startChild('load/idle.mjs')
  const ask = (what, given) => load.ask(what, { port: server.port, kind: server.target, ...given })
  await begin(ask)
  const start = await server.ask('memory')
  await grow(ask)
  const end = await server.ask('memory')
  await load.ask('close')
  await load.end()
  await server.stop()
  return {
    rssKilobytes: (end.rssBytes - start.rssBytes) / count / 1000,
    heapKilobytes: (end.heapBytes - start.heapBytes) / count / 1000,
  }
}
