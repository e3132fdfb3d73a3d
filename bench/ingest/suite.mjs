import { measureRuns, ratiosOf, valuesOf } from '../harness/runs.mjs'
import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { atLeast, judge } from '../report/goal.mjs'
import { formatNumber, formatSpread, medianOf } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { peerVersion } from '../report/versions.mjs'

const names = ['floor, same log', 'sluice', 'floor, file', 'durable-streams, memory', 'durable-streams, file']
/** The goals are for the ratio to this one. */
const judgedBy = 'floor, same log'
// Work that takes longer is measured by what was done until then.
const maxMs = 4000
const works = [
  {
    row: 'POST of one event, 64 producers',
    ask: 'post',
    connections: 64,
    events: 10_000,
    goal: atLeast(0.8),
  },
  {
    row: 'streamed NDJSON, 4 producers',
    ask: 'stream',
    connections: 4,
    events: 60_000,
    goal: atLeast(0.6),
  },
]

/** Events that a server accepts per second of its processor time. */
export const ingestSuite = {
  name: 'ingest',
  summary: 'single events and streams of lines over HTTP, against bare node:http and @durable-streams/server',
  async run({ runs, isQuick }) {
    const measure = (name) => measureServer(name, isQuick ? 0.2 : 1)
    return formatRows(await measureRuns({ suite: 'ingest', runs, names, measure }))
  },
}

/** Does this share of the work twice: in the first pass V8 optimises hot code, and only the second counts. */
async function measureServer(name, share) {
  const server = await startServer(name)
  const load = await startChild('load/ingest.mjs')
  const rows = {}
  for (const { row, ask, connections, events: whole } of works) {
    // durable-streams has no streamed ingest.
    if (ask === 'stream' && server.target === 'durable-streams') continue
    const given = { port: server.port, kind: server.target, connections, events: whole * share, maxMs }
    await load.ask(ask, given)
    const before = await server.usage()
    const { events } = await load.ask(ask, given)
    const after = await server.usage()
    rows[row] = {
      perCpuSecond: (events * 1000) / (after.cpuMs - before.cpuMs),
      perSecond: (events * 1000) / (after.wallMs - before.wallMs),
    }
  }
  await load.ask('close')
  await load.end()
  await server.stop()
  return rows
}

function formatRows(found) {
  const lines = []
  for (const [row, byName] of found) {
    const { goal } = works.find((work) => work.row === row)
    for (const other of names) {
      const ratios = ratiosOf(byName, 'perCpuSecond', 'sluice', other)
      if (other === 'sluice' || ratios === undefined) continue
      const speed = (name) => formatNumber(medianOf(valuesOf(byName, 'perCpuSecond', name)))
      const byTheClock = formatSpread(ratiosOf(byName, 'perSecond', 'sluice', other))
      lines.push([
        row,
        other,
        speed('sluice'),
        speed(other),
        formatSpread(ratios),
        ...judge(other === judgedBy ? goal : undefined, ratios),
        byTheClock,
      ])
    }
  }
  return [
    'Events per second of the processor time of the server, AAEP events of about 440 bytes, each durable when it is',
    'acknowledged. Median of the runs and, in brackets, the least and the greatest.',
    '',
    formatTable(
      ['work', 'against', 'sluice', 'the other', 'ratio', 'goal', 'met', 'ratio by the clock'],
      lines,
    ),
    '',
    `Peer: @durable-streams/server ${peerVersion('@durable-streams/server')}, default options; it has no streamed ingest.`,
  ].join('\n')
}
