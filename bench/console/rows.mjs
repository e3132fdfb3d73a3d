import { ratiosOf, valuesOf } from '../harness/runs.mjs'
import { formatNumber, formatSpread } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { perSecond } from './streaming.mjs'

/** What to wait for, in a session of `count` entries. */
const shown = {
  answer: () => 'the answer',
  rows: () => 'the first rows of the timeline',
  outline: () => 'all rows of the timeline known',
  entry: (count) => `entry ${formatNumber(count * 0.99)}, by its link`,
  row: (count) => `the row of entry ${formatNumber(count * 0.99)}`,
  charts: () => 'the charts',
  past: (count) => `the answer as it was after entry ${formatNumber(count * 0.5)}`,
}

const parts = {
  answer: 'answer',
  timeline: 'timeline',
  entry: 'entry',
  charts: 'charts',
  past: 'looking back',
}

/** Tables of how long it takes to show a session, and of what the page then holds. */
export function formatOpening(found, sessions, { small, long }) {
  const times = Object.entries(shown).map(([what, label]) => {
    const [inLong, inSmall] = [found.get(`${what} ${sessions.long}`), found.get(`${what} ${sessions.small}`)]
    const console = valuesOf(inLong, 'ms', 'console')
    return [
      label(long),
      formatSpread(console, 0),
      formatSpread(valuesOf(inSmall, 'ms', 'console'), 0),
      inLong.has('floor') ? formatSpread(valuesOf(inLong, 'ms', 'floor'), 0) : '',
      formatSpread(divide(console, valuesOf(inSmall, 'ms', 'console')), 1),
      inLong.has('floor') ? formatSpread(ratiosOf(inLong, 'ms', 'console', 'floor'), 1) : '',
    ]
  })
  const memory = Object.entries(parts).map(([part, label]) => {
    const figures = (session, figure) => valuesOf(found.get(`memory ${part} ${session}`), figure, 'console')
    const [heap, smallHeap] = [sessions.long, sessions.small].map((session) =>
      figures(session, 'heapMegabytes'),
    )
    return [
      label,
      formatSpread(heap, 1),
      formatSpread(smallHeap, 1),
      formatSpread(divide(heap, smallHeap), 1),
      formatSpread(figures(sessions.long, 'nodes'), 0),
      formatSpread(figures(sessions.small, 'nodes'), 0),
    ]
  })
  const counts = [`${formatNumber(long)} entries`, `${formatNumber(small)} entries`]
  return [
    `A session of ${counts[0]} that has ended, opened by somebody who was never there: from the navigation until it is drawn, in ms. The`,
    'floor asks the same gateway for the same things and shows their text. Median of the runs and, in brackets, the least and the greatest.',
    '',
    formatTable(['until shown', ...counts, 'floor', `times ${counts[1]}`, 'times the floor'], times),
    '',
    'What the page then holds, after collecting garbage: its JavaScript heap in MB, and its nodes.',
    '',
    formatTable(['part', `heap, ${counts[0]}`, counts[1], 'times', `nodes, ${counts[0]}`, counts[1]], memory),
  ].join('\n')
}

/** A table of what events cost an open page as they arrive. */
export function formatStreaming(found, names, { long, seconds }) {
  const figuresOf = (name) => [...found.get(`stream ${name}`).values()][0]
  const [floor] = names
  const lines = names.map((name) => {
    const values = (figure) => figuresOf(name).map((figures) => figures[figure])
    const ratios = divide(
      values('eventUs'),
      figuresOf(floor).map(({ eventUs }) => eventUs),
    )
    return [
      name,
      formatSpread(values('eventUs'), 0),
      name === floor ? '' : formatSpread(ratios, 1),
      formatSpread(values('longTasks'), 0),
      formatSpread(values('longTasksMs'), 0),
      formatSpread(values('longestFrameMs'), 0),
      formatSpread(values('nodes'), 0),
    ]
  })
  return [
    `${perSecond} events a second for ${seconds} s into a session that is open in a page: processor time of its main thread for one event, in µs;`,
    'tasks of more than 50 ms; the longest time between two frames in as many seconds more; nodes at the end. The floor appends the text of',
    `each server-sent event to a pre. A long session has ${formatNumber(long)} entries before.`,
    '',
    formatTable(
      ['open', 'an event', 'times the floor', 'long tasks', 'of them, ms', 'longest frame, ms', 'nodes'],
      lines,
    ),
  ].join('\n')
}

/** Ratios run by run. */
function divide(ours, theirs) {
  return ours.map((value, run) => value / theirs[run])
}
