import { rm } from 'node:fs/promises'
import { makeDirectory, startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { get } from '../load/targets.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatSpread, medianOf } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { measureStart } from './start.mjs'

const session = 'sess_resume'
const joinDialects = ['aaep', 'sluice', 'a2a']
const eventsBehind = 100

/** Joining a long session late, many readers that reconnect at once, and starting with many sessions. */
export const resumeSuite = {
  name: 'resume',
  summary: 'joining late in a long session, 1000 readers coming back, a start with 100 000 sessions',
  async run({ runs, isQuick }) {
    const size = isQuick
      ? { events: 10_000, joins: 5, readers: 200, sessions: 5000 }
      : { events: 100_000, joins: 20, readers: 1000, sessions: 100_000 }
    const directory = await makeDirectory()
    await fill(directory, size.events)
    const found = []
    for (let run = 0; run < runs; run++) {
      process.stderr.write(`resume: run ${run + 1} of ${runs}\n`)
      found.push(await measureOnce(directory, size))
    }
    await rm(directory, { recursive: true, force: true })
    process.stderr.write('resume: start\n')
    const starts = await measureStart(size.sessions, runs)
    return formatRows(found, starts, size)
  },
}

async function fill(directory, count) {
  const server = await startServer('sluice', { directory })
  const load = await startChild('load/stored.mjs')
  await load.ask('fill', { port: server.port, kind: server.target, session, count })
  await load.end()
  await server.stop()
}

function joinRequest(dialect, after) {
  return get(`/v1/sessions/${session}/events?dialect=${dialect}&after=${after}`, 'text/event-stream')
}

/** Every run restarts the gateway, so that it has nothing of the session in memory. */
async function measureOnce(directory, { events, joins, readers }) {
  const server = await startServer('sluice', { directory })
  const load = await startChild('load/stored.mjs')
  const early = Math.floor(events * 0.01)
  const late = Math.floor(events * 0.99)
  const joinAt = (dialect, after) =>
    load.ask('joinAt', { port: server.port, request: joinRequest(dialect, after) })
  const found = {}
  for (const dialect of joinDialects) {
    // No cursor is joined twice: what one join caches could serve the next.
    const times = { early: [], late: [] }
    for (let join = 0; join < joins; join++) {
      const offset = join * 7
      times.early.push((await joinAt(dialect, early + offset)).ms)
      times.late.push((await joinAt(dialect, late + offset)).ms)
    }
    found[dialect] = { early: medianOf(times.early), late: medianOf(times.late) }
  }
  const request = joinRequest('aaep', events - eventsBehind - 1)
  const before = await server.usage()
  const { ms } = await load.ask('reconnect', {
    port: server.port,
    request,
    readerCount: readers,
    eventCount: eventsBehind,
  })
  const after = await server.usage()
  found.reconnect = { ms, cpuMs: after.cpuMs - before.cpuMs }
  await load.end()
  await server.stop()
  return found
}

function formatRows(found, starts, { events, readers, sessions }) {
  const places = `after ${events * 0.99} / after ${events * 0.01} of ${events}`
  const lines = joinDialects.map((dialect) => {
    const ratios = found.map((run) => run[dialect].late / run[dialect].early)
    const ms = (place) => formatSpread(found.map((run) => run[dialect][place]))
    return [dialect, places, ms('late'), ms('early'), formatSpread(ratios), ...judge(atMost(2), ratios)]
  })
  const reported = [
    [
      `${readers} readers come back at once, each ${eventsBehind} events behind: until all have them`,
      `${formatSpread(
        found.map((run) => run.reconnect.ms),
        0,
      )} ms`,
      `${formatSpread(
        found.map((run) => run.reconnect.cpuMs),
        0,
      )} ms`,
    ],
    ...starts.map(({ label, ms, cpuMs }) => [
      label.replace('{sessions}', sessions),
      `${formatSpread(ms, 0)} ms`,
      cpuMs === undefined ? '' : `${formatSpread(cpuMs, 0)} ms`,
    ]),
  ]
  return [
    'Time from the request to the first frame (SSE), each place joined once; median of a run, then of the runs.',
    '',
    formatTable(['read as', 'place', 'late, ms', 'early, ms', 'ratio', 'goal', 'met'], lines),
    '',
    'Reported without a goal:',
    '',
    formatTable(['what', 'time', 'processor time'], reported),
  ].join('\n')
}
