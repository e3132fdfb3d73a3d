import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { leastMemory } from './least-memory.mjs'

// Created before the measurement, so that one-time set-up does not count.
const sessionsBefore = 500
const idleSessionMs = 2000

/** KB per session while it is open, and after it left memory because nobody used it. */
export async function measureSessions(count) {
  const open = await measureWith({ idleSessionMs: 3_600_000 }, count, () => {})
  const resting = await measureWith({ idleSessionMs }, count, allAtRest)
  return { openKilobytes: open, restingKilobytes: resting }
}

async function measureWith(limits, count, settle) {
  const options = {
    limits: { openSessions: 1_000_000, ...limits },
    // The log holds recent writes in memory until it regroups them, even those of idle sessions.
    logOptions: { regroupAfterMs: 200 },
  }
  const server = await startServer('sluice', { options, execArgv: ['--expose-gc'] })
  const load = await startChild('load/idle.mjs')
  const given = { port: server.port, kind: server.target }
  await load.ask('begin', { ...given, first: 0, count: sessionsBefore })
  await settle(server.port)
  const start = await leastMemory(server)
  await load.ask('begin', { ...given, first: sessionsBefore, count })
  await settle(server.port)
  const end = await leastMemory(server)
  await load.end()
  await server.stop()
  return (end - start) / count / 1000
}

/** Waits until the gateway reports no open session. */
async function allAtRest(port) {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    if (/^sluice_open_sessions 0$/m.test(text)) return
    await new Promise((resolve) => setTimeout(resolve, idleSessionMs / 4))
  }
}
