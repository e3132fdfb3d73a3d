// One run of the suite in a separate process: run.mjs [name of a row]. With a name, it measures only that row
// and for longer, for a profiler. Prints the results as JSON.

import { measure } from './measure.mjs'
import { createRows } from './rows.mjs'

const name = process.argv[2]
const warmUpRounds = 2
const rounds = 5
const sliceMs = name === undefined ? 70 : 1000

const rows = createRows().filter((row) => name === undefined || row.name === name)
const sums = new Map(rows.map((row) => [row, { floorMs: 0, subjectMs: 0 }]))

// Each row has a slice of every round, so that V8 has seen all dialects, as in a gateway, before the first
// slice counts.
for (let round = 0; round < warmUpRounds + rounds; round++) {
  for (const row of round % 2 === 0 ? rows : rows.toReversed()) {
    const { floorMs, subjectMs } = measure(row, sliceMs)
    if (round < warmUpRounds) continue
    const sum = sums.get(row)
    sum.floorMs += floorMs
    sum.subjectMs += subjectMs
  }
}

const results = rows.map((row) => {
  const { floor: _floor, subject: _subject, ...facts } = row
  const { floorMs, subjectMs } = sums.get(row)
  return { ...facts, ratio: floorMs / subjectMs }
})
process.stdout.write(JSON.stringify(results))
