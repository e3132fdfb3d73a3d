import { ratiosOf, valuesOf } from '../harness/runs.mjs'
import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatSpread, quantileOf } from '../report/spread.mjs'
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
    const found = new Map(names.map((name) => [name, []]))
    for (let run = 0; run < runs; run++) {
      process.stderr.write(`latency: run ${run + 1} of ${runs}\n`)
      for (const [name, figures] of await measureInTurns(isQuick ? 2 : 5)) found.get(name).push(figures)
    }
    return formatRows(found)
  },
}

/**
 * Starts all servers, which then take turns of a second, so that whatever else the machine does hits all of
 * them.
 */
async function measureInTurns(turns) {
  const contenders = []
  for (const name of names) contenders.push(await prepare(name))
  for (let turn = 0; turn < turns; turn++) {
    for (const { load, delays } of turn % 2 === 0 ? contenders : contenders.toReversed())
      delays.push(...(await load.ask('run', { perSecond, count: perSecond })))
  }
  const figures = contenders.map(({ name, delays }) => {
    const sorted = delays.toSorted((a, b) => a - b)
    return [name, { p50: quantileOf(sorted, 0.5), p99: quantileOf(sorted, 0.99) }]
  })
  for (const { load, server } of contenders) {
    await load.ask('close')
    await load.end()
    await server.stop()
  }
  return figures
}

async function prepare(name) {
  const server = await startServer(name)
  const load = await startChild('load/latency.mjs')
  await load.ask('connect', { port: server.port, kind: server.target, readerCount })
  await load.ask('run', { perSecond, count: perSecond })
  return { name, server, load, delays: [] }
}

function formatRows(found) {
  const lines = names.map((name) => {
    const delays = ['p50', 'p99'].map((figure) => formatSpread(valuesOf(found, figure, name)))
    if (name === 'sluice') return [name, ...delays, '', '', '', '']
    const p99 = ratiosOf(found, 'p99', 'sluice', name)
    return [
      name,
      ...delays,
      formatSpread(ratiosOf(found, 'p50', 'sluice', name)),
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
    'The servers take turns of a second. An event that falls due while the one before is not acknowledged counts from when it was due.',
    `Peer: @durable-streams/server ${peerVersion('@durable-streams/server')}, default options, memory store: it waits for no disk.`,
  ].join('\n')
}
