import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'

/** Events per second of each session. */
export const perSecond = 10

/** How many sessions are compared by processor time, and in all by memory. */
export const [fewSessions, manySessions] = [200, 500]

/** One run of one server, by row: µs of processor time per event, and resident memory after as many seconds. */
export async function measureServer(name, seconds) {
  const rows = { posts: await measureEvents(name, { isStreamed: false, seconds }) }
  // durable-streams has no streamed ingest.
  if (!name.startsWith('durable-streams'))
    rows.streams = await measureEvents(name, { isStreamed: true, seconds })
  rows.many = await withSessions(name, { sessionCount: manySessions }, async ({ server, run }) => {
    await run(seconds)
    return { residentMegabytes: (await server.ask('resident')) / 1e6 }
  })
  return rows
}

/** The first pass warms up the server and leaves its memory as it is after that time; the second one counts. */
function measureEvents(name, { isStreamed, seconds }) {
  return withSessions(name, { sessionCount: fewSessions, isStreamed }, async ({ server, run }) => {
    await run(seconds)
    const residentBytes = await server.ask('resident')
    const before = await server.usage()
    const { events } = await run(seconds)
    const after = await server.usage()
    return {
      eventUs: ((after.cpuMs - before.cpuMs) * 1000) / events,
      residentMegabytes: residentBytes / 1e6,
    }
  })
}

async function withSessions(name, given, work) {
  const server = await startServer(name)
  const load = await startChild('load/sessions.mjs')
  await load.ask('connect', { port: server.port, kind: server.target, ...given })
  const figures = await work({ server, run: (seconds) => load.ask('run', { perSecond, seconds }) })
  await load.ask('close')
  await load.end()
  await server.stop()
  return figures
}
