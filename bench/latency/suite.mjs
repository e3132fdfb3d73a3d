import { measureRuns, ratiosOf, valuesOf } from '../harness/runs.mjs'
import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatSpread } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { peerVersion } from '../report/versions.mjs'

const names = ['floor, file', 'sluice', 'floor, same log', 'durable-streams, memory']
const goals = { 'floor, file': atMost(2) }
const readerCount = 100
const perSecond = 100

/** How long an event takes from its producer to its readers. */
export const latencySuite = {
  name: 'latency',
  summary: 'append to delivery, 100 events a second, 100 readers, against a bare loop with fsync',
  async run({ runs, isQuick }) {
    const seconds = isQuick ? 2 : 4
    const measure = async (name) => ({ all: await measureServer(name, seconds) })
    return formatRows(await measureRuns({ suite: 'latency', runs, names, measure }))
  },
}

async function measureServer(name, seconds) {
  const server = await startServer(name)
  const load = await startChild('load/latency.mjs')
  await load.ask('connect', { port: server.port, kind: server.target, readerCount })
  await load.ask('run', { perSecond, count: perSecond })
  const delays = await load.ask('run', { perSecond, count: perSecond * seconds })
  await load.ask('close')
  await load.end()
  await server.stop()
  return delays
}

function formatRows(found) {
  const byName = found.get('all')
  const lines = names.map((name) => {
    const delays = ['p50', 'p99'].map((figure) => formatSpread(valuesOf(byName, figure, name)))
    if (name === 'sluice') return [name, ...delays, '', '', '', '']
    const p99 = ratiosOf(byName, 'p99', 'sluice', name)
    return [
      name,
      ...delays,
      formatSpread(ratiosOf(byName, 'p50', 'sluice', name)),
      formatSpread(p99),
      ...judge(goals[name], p99),
    ]
  })
  return [
    `From sending an event to its arrival, ${perSecond} events a second, one request each, ${readerCount} SSE readers, in ms. The ratios are`,
    'sluice to the other. Median of the runs and, in brackets, the least and the greatest.',
    '',
    formatTable(['server', 'p50', 'p99', 'ratio p50', 'ratio p99', 'goal', 'met'], lines),
    '',
    'An event that falls due while the one before is not acknowledged counts from when it was due.',
    `Peer: @durable-streams/server ${peerVersion('@durable-streams/server')}, default options, memory store: it waits for no disk.`,
  ].join('\n')
}
