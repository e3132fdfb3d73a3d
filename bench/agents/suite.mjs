import { manyRuns, startGateway, startReader } from './contenders.mjs'
import { formatRows } from './rows.mjs'
import { emptyShape, linesOf, shapes, smallShape } from './shapes.mjs'

/** The readers of the printer's output. */
const contenders = {
  pipe: () => startReader('bytes'),
  'pipe, JSON.parse': () => startReader('json'),
  run: () => startReader('run'),
  'run of a gateway': startGateway,
}

/** The cost of a run beyond reading the output of its program. */
export const agentsSuite = {
  name: 'agents',
  summary: 'lines of a command-line agent, through a run and a gateway, against reading the pipe alone',
  async run({ runs, isQuick }) {
    const found = new Map()
    for (let run = 0; run < runs; run++) {
      process.stderr.write(`agents: run ${run + 1} of ${runs}\n`)
      for (const { row, name, figures } of await measureAll(isQuick ? 1 : 3)) {
        const byName = found.get(row) ?? new Map()
        found.set(row, byName)
        byName.set(name, [...(byName.get(name) ?? []), figures])
      }
    }
    return formatRows(found, Object.keys(contenders))
  },
}

/** Starts all processes, which then take turns. The first turn of each row warms up V8 and does not count. */
async function measureAll(turns) {
  const started = []
  for (const [name, start] of Object.entries(contenders)) started.push({ name, ...(await start()) })
  const found = []

  const empty = await takeTurns(started, turns, (contender) => readRuns(contender, emptyShape))
  for (const [name, { cpuMs, runs }] of empty)
    found.push({ row: 'empty', name, figures: { runCpuMs: cpuMs / runs } })

  for (const [row, shape] of Object.entries(shapes)) {
    const sums = await takeTurns(started, turns, (contender) => readRuns(contender, shape))
    for (const [name, { cpuMs, runs, lines }] of sums) {
      // The cost of a run without lines is reported as a separate row.
      const before = (empty.get(name).cpuMs / empty.get(name).runs) * runs
      found.push({ row, name, figures: { lineUs: ((cpuMs - before) * 1000) / lines } })
    }
  }

  const many = started.filter(({ readMany }) => readMany !== undefined)
  const sums = await takeTurns(many, turns, async ({ readMany }) => ({
    ...(await readMany(smallShape)),
    runs: manyRuns,
  }))
  for (const [name, { cpuMs, wallMs, runs }] of sums)
    found.push({ row: 'many', name, figures: { runMs: wallMs / runs, runCpuMs: cpuMs / runs } })

  for (const { stop } of started) await stop()
  return found
}

/** Does the runs of one turn, one after the other. */
async function readRuns({ read, isStored }, { messages, stored, runs, ...others }) {
  const shape = { ...others, messages: isStored ? stored : messages }
  let cpuMs = 0
  for (let run = 0; run < runs; run++) cpuMs += (await read(shape)).cpuMs
  return { cpuMs, runs, lines: linesOf(shape) * runs }
}

/** The sums of the figures that `measure` returns, by the name of the contender. */
async function takeTurns(started, turns, measure) {
  const sums = new Map(started.map(({ name }) => [name, {}]))
  for (let turn = 0; turn <= turns; turn++)
    for (const contender of turn % 2 === 0 ? started : started.toReversed()) {
      const figures = await measure(contender)
      if (turn === 0) continue
      const sum = sums.get(contender.name)
      for (const [figure, value] of Object.entries(figures)) sum[figure] = (sum[figure] ?? 0) + value
    }
  return sums
}
