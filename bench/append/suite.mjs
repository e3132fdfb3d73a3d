import { startChild } from '../harness/start-child.mjs'
import { atLeast, judge } from '../report/goal.mjs'
import { formatNumber, formatSpread, medianOf } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { peerVersion } from '../report/versions.mjs'

const cases = [
  { sessions: 1, goal: atLeast(0.6) },
  { sessions: 64, goal: atLeast(0.7) },
  { sessions: 1000, goal: atLeast(0.35) },
]

/** Durable appends to the log against a plain file. */
export const appendSuite = {
  name: 'append',
  summary: 'log.append, 1, 64 and 1000 sessions, against a plain file with group commit',
  async run({ runs, isQuick }) {
    const rows = []
    for (const { sessions, goal } of cases) {
      const found = []
      for (let run = 0; run < runs; run++) {
        process.stderr.write(`append: run ${run + 1} of ${runs}, ${sessions} sessions\n`)
        found.push(await measureOnce(sessions, isQuick))
      }
      const ratios = found.map(({ file, log }) => log.perSecond / file.perSecond)
      const cpu = (side) =>
        formatSpread(
          found.map((run) => run[side].cpuMicroseconds),
          1,
        )
      const speed = (side) => formatNumber(medianOf(found.map((run) => run[side].perSecond)))
      const cells = [sessions, speed('log'), speed('file'), formatSpread(ratios), ...judge(goal, ratios)]
      rows.push([...cells, cpu('log'), cpu('file')])
    }
    return [
      'Events of 200 bytes per second, each durable when it is acknowledged; every session has one append under way. File',
      'and log take turns of 0.3 s. The time includes regrouping by session, also of what is left at the end.',
      '',
      formatTable(
        ['sessions', 'log', 'file', 'ratio', 'goal', 'met', 'log, µs of processor an event', 'file'],
        rows,
      ),
      '',
      `The log is the driver lmdb (npm lmdb ${peerVersion('lmdb')}), the file is one file, written and synced`,
      '(fdatasync) once for all appends that came during the last sync; it keeps length and session of a record.',
    ].join('\n')
  },
}

async function measureOnce(sessions, isQuick) {
  const worker = await startChild('append/worker.mjs')
  await worker.ask('measure', { sessions, slices: 2, sliceMs: 100 })
  const { log, file } = await worker.ask('measure', { sessions, slices: isQuick ? 4 : 10, sliceMs: 300 })
  await worker.end()
  return { log: toFigures(log), file: toFigures(file) }
}

function toFigures({ events, wallMs, cpuMs }) {
  return { perSecond: (events * 1000) / wallMs, cpuMicroseconds: (cpuMs * 1000) / events }
}
