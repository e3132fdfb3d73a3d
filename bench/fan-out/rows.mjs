import { ratiosOf, valuesOf } from '../harness/runs.mjs'
import { atLeast, judge } from '../report/goal.mjs'
import { formatNumber, formatSpread, medianOf } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { peerVersion } from '../report/versions.mjs'

const comparisons = [
  { other: 'floor, same log', goal: atLeast(0.8) },
  { other: 'floor, file' },
  { other: 'durable-streams, memory', goal: atLeast(5) },
  { other: 'durable-streams, file', goal: atLeast(50) },
]

/** The section of the suite, in Markdown. */
export function formatRows(found) {
  const lines = []
  for (const [row, byName] of found) {
    for (const { other, goal } of comparisons) {
      const ratios = ratiosOf(byName, 'perCpuSecond', 'sluice', other)
      if (ratios === undefined) continue
      const speed = (name) => formatNumber(medianOf(valuesOf(byName, 'perCpuSecond', name)))
      lines.push([row, other, speed('sluice'), speed(other), formatSpread(ratios), ...judge(goal, ratios)])
    }
  }
  return [
    'Deliveries per second of the processor time of the server, one session of AAEP events of about 440 bytes, each batch',
    'durable before it is delivered. Median of the runs and, in brackets, the least and the greatest.',
    '',
    formatTable(['work', 'against', 'sluice', 'the other', 'ratio', 'goal', 'met'], lines),
    '',
    `Peer: @durable-streams/server ${peerVersion('@durable-streams/server')}, default options, memory store and file store`,
    '(the latter with 200 readers only: it takes seconds for one batch). Its appends are one JSON value or an array.',
  ].join('\n')
}
