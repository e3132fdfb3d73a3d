import { ratiosOf, valuesOf } from '../harness/runs.mjs'
import { atMost, judge } from '../report/goal.mjs'
import { formatSpread } from '../report/spread.mjs'
import { formatTable } from '../report/table.mjs'
import { manyRuns } from './contenders.mjs'
import { linesOf, shapes, smallShape } from './shapes.mjs'

/** The goal for a line of 64 B, of a run of a gateway against JSON.parse of the pipe. */
const lineGoal = atMost(6)

/** The tables of the suite. `found`: the figures of all runs by row and reader. `names`: the readers. */
export function formatRows(found, names) {
  const [pipe, parse] = names
  const toLines = (row, title, figure) =>
    names.map((name, index) => [
      title,
      name,
      formatSpread(valuesOf(found.get(row), figure, name)),
      index > 0 ? formatSpread(ratiosOf(found.get(row), figure, name, pipe), 1) : '',
      index > 1 ? formatSpread(ratiosOf(found.get(row), figure, name, parse), 1) : '',
    ])
  const many = found.get('many')
  const manyNames = [...many.keys()]
  return [
    'Processor time of the process that reads, all its threads, and how many times that of a floor it is. Median of the runs and, in',
    'brackets, the least and the greatest.',
    '',
    'One line, in µs:',
    '',
    formatTable(
      ['lines of', 'read by', 'a line', 'times the pipe', 'times JSON.parse', 'goal', 'met'],
      Object.entries(shapes).flatMap(([row, { textLength }]) =>
        toLines(row, row, 'lineUs').map((cells, index) => {
          const isJudged = textLength === 64 && names[index] === 'run of a gateway'
          const ratios = ratiosOf(found.get(row), 'lineUs', names[index], parse)
          return [...cells, ...judge(isJudged ? lineGoal : undefined, ratios)]
        }),
      ),
    ),
    '',
    'One run in which nothing is said, from the start of its program to its end, in ms:',
    '',
    formatTable(
      ['read by', 'a run', 'times the pipe', 'times JSON.parse'],
      toLines('empty', '', 'runCpuMs').map(([, ...cells]) => cells),
    ),
    '',
    `${manyRuns} runs at once, ${linesOf(smallShape)} lines each; one of them by the clock, and in processor time, in ms:`,
    '',
    formatTable(
      ['read by', 'by the clock', 'times the pipe', 'processor', 'times the pipe'],
      manyNames.map((name, index) => [
        name,
        ...['runMs', 'runCpuMs'].flatMap((figure) => [
          formatSpread(valuesOf(many, figure, name)),
          index > 0 ? formatSpread(ratiosOf(many, figure, name, manyNames[0]), 1) : '',
        ]),
      ]),
    ),
  ].join('\n')
}
