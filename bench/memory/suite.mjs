import { measureRuns, ratiosOf, valuesOf } from '../harness/runs.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatSpread } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { peerVersion } from '../report/versions.mjs'
import { measureLongSession } from './long-session.mjs'
import { measureFollowedSessions, measureReaders } from './readers.mjs'
import { measureSessions } from './sessions.mjs'

const names = ['floor, file', 'sluice', 'durable-streams, memory']

/** The cost of idle readers and idle sessions. */
export const memorySuite = {
  name: 'memory',
  summary: 'idle SSE readers, of one session and of one each, idle sessions, a long session',
  async run({ runs, isQuick }) {
    const size = isQuick
      ? { readers: 1000, followed: 1000, sessions: 1000, long: { events: 20_000, stalled: 60 } }
      : { readers: 5000, followed: 10_000, sessions: 10_000, long: { events: 200_000, stalled: 120 } }
    const measure = async (name) => {
      const readers = {
        readers: await measureReaders(name, size.readers),
        followed: await measureFollowedSessions(name, size.followed),
      }
      if (name !== 'sluice') return readers
      const sessions = await measureSessions(size.sessions)
      return { ...readers, sessions, long: await measureLongSession(size.long) }
    }
    return formatRows(await measureRuns({ suite: 'memory', runs, names, measure }), size)
  },
}

function formatRows(found, size) {
  const sessions = found.get('sessions')
  const resting = valuesOf(sessions, 'restingKilobytes', 'sluice')
  const open = valuesOf(sessions, 'openKilobytes', 'sluice')
  return [
    `An idle SSE reader, in KB of the server's memory, with ${size.readers} of them, after collecting garbage. The`,
    'ratio is that of resident memory, sluice to the other.',
    '',
    formatServers(found.get('readers'), { 'floor, file': atMost(1.1) }),
    '',
    `An idle session with one SSE reader that received one event, in the same units, with ${size.followed} of them.`,
    '',
    formatServers(found.get('followed')),
    '',
    `A session of one entry that nobody uses, in KB of heap and buffers, with ${size.sessions} of them.`,
    '',
    formatTable(
      ['session', 'KB', 'goal', 'met'],
      [
        ['idle, after it left memory', formatSpread(resting, 2), ...judge(atMost(2), resting)],
        ['open, before that', formatSpread(open, 2), '', ''],
      ],
    ),
    '',
    ...formatLongSession(found.get('long'), size.long),
    '',
    `Peer: @durable-streams/server ${peerVersion('@durable-streams/server')}, default options, memory store.`,
  ].join('\n')
}

function formatServers(byName, goals = {}) {
  const lines = names.map((name) => {
    const ratios = ratiosOf(byName, 'rssKilobytes', 'sluice', name)
    const cells = ['rssKilobytes', 'heapKilobytes'].map((figure) =>
      formatSpread(valuesOf(byName, figure, name), 1),
    )
    const compared = name === 'sluice' ? ['', '', ''] : [formatSpread(ratios), ...judge(goals[name], ratios)]
    return [name, ...cells, ...compared]
  })
  return formatTable(['server', 'resident', 'heap and buffers', 'ratio', 'goal', 'met'], lines)
}

const longRows = [
  ['written', 'written'],
  ['followed', 'the same, followed in every dialect'],
  ['joined', 'joined late in every dialect, with every joining'],
  ['stalled', 'with readers who take nothing'],
]

function formatLongSession(long, { events, stalled }) {
  const kilobytes = (figure) => formatSpread(valuesOf(long, figure, 'sluice'), 0)
  return [
    `A session of ${events} events: heap and buffers after collecting garbage, as a ratio to the snapshot of the session`,
    `(${kilobytes('windowKilobytes')} KB). ${stalled} readers take nothing, all dialects and joinings in turn, each from another place:`,
    `${kilobytes('perStalled')} KB each.`,
    '',
    formatTable(
      ['session', 'ratio'],
      longRows.map(([figure, title]) => [title, formatSpread(valuesOf(long, figure, 'sluice'))]),
    ),
  ]
}
