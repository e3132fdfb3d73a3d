import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

const before = 500
const idleSessionMs = 2000

/** What a session takes in KB while it is open, and after it left memory because nobody used it. */
export async function measureSessions(count) {
  const limits = { openSessions: 1_000_000 }
  const open = await measureWith({ ...limits, idleSessionMs: 3_600_000 }, count, () => {})
  const resting = await measureWith({ ...limits, idleSessionMs }, count, allAtRest)
  return { openKilobytes: open, restingKilobytes: resting }
}

async function measureWith(limits, count, settle) {
  const server = await startServer('sluice', { options: { limits }, execArgv: ['--expose-gc'] })
  const load = await startChild('load/idle.mjs')
  const given = { port: server.port, kind: server.target }
  await load.ask('begin', { ...given, first: 0, count: before })
  await settle(server.port)
  const start = await server.ask('memory')
  await load.ask('begin', { ...given, first: before, count })
  await settle(server.port)
  const end = await server.ask('memory')
  await load.end()
  await server.stop()
  return (end.heapBytes - start.heapBytes) / count / 1000
}

/** Waits until the gateway says that no session is open. */
async function allAtRest(port) {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    if (/^sluice_open_sessions 0$/m.test(text)) return
    await new Promise((resolve) => setTimeout(resolve, idleSessionMs / 4))
  }
}
