import { ratiosOf, valuesOf } from '../harness/runs.mjs'
import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatSpread, quantileOf } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'

const count = 200
const perSecond = 200
const loads = {
  'no readers': { sharedCount: 0, pacedCount: 0 },
  'shared readers': { sharedCount: count, pacedCount: 0 },
  subscriptions: { sharedCount: 0, pacedCount: count },
  both: { sharedCount: count, pacedCount: count },
}
const names = Object.keys(loads)
const beside = `delay of shared readers beside ${count} subscriptions`
const comparisons = [
  { title: 'cost of a subscription', of: 'perReaderUs', name: 'subscriptions', goal: atMost(1.5) },
  { title: `${beside}, p50`, of: 'p50', name: 'both', goal: atMost(2) },
  { title: `${beside}, p99`, of: 'p99', name: 'both', goal: atMost(2) },
]

/** The cost of AAEP subscriptions with their own terms, and what readers of a shared view lose by them. */
export const pacingSuite = {
  name: 'pacing',
  summary: '200 AAEP subscriptions with different terms on one session, against shared readers of it',
  async run({ runs, isQuick }) {
    const found = new Map(names.map((name) => [name, []]))
    for (let run = 0; run < runs; run++) {
      process.stderr.write(`pacing: run ${run + 1} of ${runs}\n`)
      for (const [name, figures] of await measureInTurns(isQuick ? 2 : 6)) found.get(name).push(figures)
    }
    return formatRows(found)
  },
}

/** Starts all gateways, which then take turns of two seconds. */
async function measureInTurns(turns) {
  const contenders = []
  for (const name of names) contenders.push(await prepare(name))
  for (let turn = 0; turn < turns; turn++)
    for (const contender of turn % 2 === 0 ? contenders : contenders.toReversed()) await measure(contender)
  const figures = contenders.map(({ name, delays, cpuMs, events, emitted }) => {
    const sorted = delays.toSorted((a, b) => a - b)
    const delay = sorted.length === 0 ? {} : { p50: quantileOf(sorted, 0.5), p99: quantileOf(sorted, 0.99) }
    return [name, { ...delay, perEventUs: (cpuMs * 1000) / events, emitted: emitted / events / count }]
  })
  const idle = figures[0][1].perEventUs
  for (const [name, figure] of figures) {
    const { sharedCount, pacedCount } = loads[name]
    const readers = sharedCount + pacedCount
    if (readers > 0) figure.perReaderUs = (figure.perEventUs - idle) / readers
  }
  for (const { load, server } of contenders) {
    await load.ask('close')
    await load.end()
    await server.stop()
  }
  return figures
}

async function prepare(name) {
  const server = await startServer('sluice')
  const load = await startChild('load/pacing.mjs')
  await load.ask('connect', { port: server.port, ...loads[name] })
  await load.ask('run', { perSecond, count: perSecond })
  return { name, server, load, delays: [], cpuMs: 0, events: 0, emitted: 0 }
}

async function measure(contender) {
  const { server, load, delays } = contender
  const before = await server.usage()
  const { delays: more, emitted } = await load.ask('run', { perSecond, count: 2 * perSecond })
  const after = await server.usage()
  delays.push(...more)
  contender.cpuMs += after.cpuMs - before.cpuMs
  contender.events += 2 * perSecond
  contender.emitted += emitted
}

function formatRows(found) {
  const figure = (name, of, digits) =>
    found.get(name)[0]?.[of] === undefined ? '' : formatSpread(valuesOf(found, of, name), digits)
  const lines = names.map((name) => [
    name,
    figure(name, 'perEventUs'),
    figure(name, 'perReaderUs'),
    loads[name].pacedCount === 0 ? '' : figure(name, 'emitted'),
    loads[name].sharedCount === 0 ? '' : figure(name, 'p50'),
    loads[name].sharedCount === 0 ? '' : figure(name, 'p99'),
  ])
  const compared = comparisons.map(({ title, of, name, goal }) => {
    const ratios = ratiosOf(found, of, name, 'shared readers')
    return [title, formatSpread(ratios), ...judge(goal, ratios)]
  })
  return [
    `One session, ${perSecond} events a second, one request each. ${count} SSE readers that share a view, and ${count} AAEP subscriptions of which`,
    'no two have the same terms. Processor time of the gateway, all of it, for one event and of that for one reader or subscription, in',
    'µs; delays of the shared readers in ms. Median of the runs and, in brackets, the least and the greatest.',
    '',
    formatTable(['readers', 'an event', 'a reader', 'frames for each event', 'p50', 'p99'], lines),
    '',
    formatTable(['compared with shared readers alone', 'ratio', 'goal', 'met'], compared),
  ].join('\n')
}
