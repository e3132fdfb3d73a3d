import { ratiosOf, valuesOf } from '../harness/runs.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatSpread } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { peerVersion } from '../report/versions.mjs'
import { fewSessions, manySessions, perSecond } from './measure.mjs'

/** Goals are for the ratio of sluice to the other server, except its own, which is for the figure itself. */
const eventRows = {
  posts: {
    title: 'one POST per event',
    goals: { 'floor, file': atMost(1.1), 'durable-streams, memory': atMost(1) },
  },
  streams: { title: 'streamed NDJSON', goals: { sluice: atMost(45) } },
}
const memoryRows = {
  posts: { title: fewSessions, goals: { 'durable-streams, memory': atMost(1.3) } },
  many: { title: manySessions, goals: { 'durable-streams, memory': atMost(1.3) } },
}

/** The section of the suite, in Markdown. */
export function formatRows(found, seconds) {
  return [
    `Sessions with one SSE reader and ${perSecond} events per second each, AAEP events of about 440 bytes, spread evenly over time. The`,
    'ratio is sluice to the other server. Median of the runs and, in brackets, the least and the greatest.',
    '',
    `Processor time of the server per event, from its request to its reader, with ${fewSessions} sessions, in µs. The goal of sluice itself`,
    'is in µs.',
    '',
    formatTable(
      ['events', 'server', 'µs per event', 'ratio', 'goal', 'met'],
      toLines(found, eventRows, { figure: 'eventUs', digits: 1 }),
    ),
    '',
    `Resident memory of the server after ${seconds} s of one POST per event, without forcing a garbage collection, in MB.`,
    '',
    formatTable(
      ['sessions', 'server', 'MB', 'ratio', 'goal', 'met'],
      toLines(found, memoryRows, { figure: 'residentMegabytes', digits: 0 }),
    ),
    '',
    `Peer: @durable-streams/server ${peerVersion('@durable-streams/server')}, default options, memory store; it has no streamed ingest.`,
  ].join('\n')
}

function toLines(found, rows, { figure, digits }) {
  return Object.entries(rows).flatMap(([row, { title, goals }]) => {
    const byName = found.get(row)
    return [...byName.keys()].map((name) => {
      const values = valuesOf(byName, figure, name)
      const ratios = ratiosOf(byName, figure, 'sluice', name)
      const isOwn = name === 'sluice'
      const judged = judge(goals[name], isOwn ? values : ratios)
      return [title, name, formatSpread(values, digits), isOwn ? '' : formatSpread(ratios), ...judged]
    })
  })
}
