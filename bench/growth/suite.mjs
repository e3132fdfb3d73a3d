import { measureRuns, valuesOf } from '../harness/runs.mjs'
import { startServer } from '../harness/servers.mjs'
import { startChild } from '../harness/start-child.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatNumber, formatSpread } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'

const goal = atMost(1.5)
const publishCount = 20_000
const deliverCount = 200
const growths = [
  { grows: 'sessions', title: 'sessions in the log', sizes: [1, 100, 10_000, 100_000] },
  { grows: 'entries', title: 'entries of the session', sizes: [1000, 100_000, 1_000_000] },
  { grows: 'questions', title: 'open questions, each in a session', sizes: [1, 100, 10_000] },
  { grows: 'readers', title: 'readers of the session, a delivery', sizes: [100, 1000, 5000] },
]

/** The cost of an event as everything that a gateway keeps grows. */
export const growthSuite = {
  name: 'growth',
  summary: 'the cost of an event with ever more sessions, entries, open questions and readers',
  async run({ runs, isQuick }) {
    const names = growths.map(({ grows }) => grows)
    const measure = (name) =>
      measureGrowth(
        growths.find(({ grows }) => grows === name),
        isQuick,
      )
    return formatRows(await measureRuns({ suite: 'growth', runs, names, measure }))
  },
}

/** Microseconds of the server's processor time, by size. */
async function measureGrowth({ grows, sizes }, isQuick) {
  // One address and one subject own everything here.
  const limits = { openQuestions: 1_000_000, openQuestionsPerSubject: 1_000_000 }
  const server = await startServer('sluice', { options: { limits } })
  const load = await startChild('load/growth.mjs')
  await load.ask('connect', { port: server.port })
  await load.ask('sessions', { from: 0, to: 1 })
  await load.ask('publish', { count: publishCount, sessions: 1 })

  const costOf = async (ask, given, units) => {
    const before = await server.usage()
    await load.ask(ask, given)
    const after = await server.usage()
    return ((after.cpuMs - before.cpuMs) * 1000) / units
  }
  const rows = {}
  let size = grows === 'sessions' ? 1 : 0
  for (const next of isQuick ? sizes.slice(0, -1) : sizes) {
    await load.ask(grows, { from: size, to: next })
    size = next
    const sessions = grows === 'sessions' ? size : 1
    const cost =
      grows === 'readers'
        ? await costOf('deliver', { count: deliverCount }, deliverCount * size)
        : await costOf('publish', { count: publishCount, sessions }, publishCount)
    rows[`${grows} ${size}`] = { cost }
  }
  await load.ask('close')
  await load.end()
  await server.stop()
  return rows
}

function formatRows(found) {
  const lines = []
  for (const { grows, title, sizes } of growths) {
    const costsAt = (size) => {
      const byName = found.get(`${grows} ${size}`)
      return byName === undefined ? undefined : valuesOf(byName, 'cost', grows)
    }
    const least = costsAt(sizes[0])
    for (const size of sizes) {
      const costs = costsAt(size)
      if (costs === undefined) continue
      const ratios = costs.map((cost, run) => cost / least[run])
      const compared = size === sizes[0] ? ['', '', ''] : [formatSpread(ratios), ...judge(goal, ratios)]
      lines.push([title, formatNumber(size), formatSpread(costs, 1), ...compared])
    }
  }
  return [
    'Microseconds of processor time of the server, per event published (64 connections, one event a request, at most',
    '1000 sessions written to at a time), and per delivery of an event to a reader.',
    '',
    formatTable(['what grows', 'size', 'µs', 'ratio to the least size', 'goal', 'met'], lines),
  ].join('\n')
}
