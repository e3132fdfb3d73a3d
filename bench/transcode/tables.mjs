/** The least ratio to the floor. */
const goals = { reading: 0.6, pair: 0.5 }

/** The tables of all runs, in Markdown: median and spread of the ratios, and whether the goal is met. */
export function formatTables(runs) {
  const rows = gather(runs)
  const reading = rows.filter((row) => row.to === undefined)
  const pairs = rows.filter((row) => row.to !== undefined)
  return [
    `Goals: ≥ ${goals.reading} of the floor to check and decode, ≥ ${goals.pair} to transcode. Each cell is the median of ${runs.length} runs and,`,
    'in brackets, the least and the greatest.',
    `${countMet(reading)} of ${reading.length} readings and ${countMet(pairs)} of ${pairs.length} conversions meet theirs.`,
    '',
    '### Check and decode',
    '',
    'parseFrame and admit (check, decode, settle, fold) against JSON.parse of the same frames.',
    '',
    '| dialect | text | frames | bytes each | ratio | goal met |',
    '| --- | --- | --- | --- | --- | --- |',
    ...reading.map((row) =>
      toLine([row.from, sizeOf(row), row.inputCount, row.inputBytes, ratioOf(row), verdictOf(row)]),
    ),
    '',
    ...notesOf(reading),
    '### Transcode',
    '',
    'The same and encode.step against JSON.parse of the input and JSON.stringify of the output values.',
    'From a dialect to itself, clean frames are handed on as they came; only sluice writes its entries anew.',
    '',
    '| from | to | text | frames in → out | ratio | goal met |',
    '| --- | --- | --- | --- | --- | --- |',
    ...pairs.map((row) =>
      toLine([
        row.from,
        row.to,
        sizeOf(row),
        `${row.inputCount} → ${row.outputCount}`,
        ratioOf(row),
        verdictOf(row),
      ]),
    ),
  ].join('\n')
}

/** One row per piece of work, with the ratios of all runs in ascending order. */
function gather(runs) {
  const rows = new Map()
  for (const { ratio, ...facts } of runs.flat()) {
    const row = rows.get(facts.name) ?? { ...facts, ratios: [] }
    row.ratios.push(ratio)
    rows.set(facts.name, row)
  }
  return [...rows.values()].map((row) => ({ ...row, ratios: row.ratios.toSorted((a, b) => a - b) }))
}

function notesOf(reading) {
  const notes = reading
    .filter((row) => Object.keys(row.faults).length > 0)
    .map((row) => `- ${row.from}, ${sizeOf(row)}: ${JSON.stringify(row.faults)}`)
  return notes.length === 0 ? [] : ['Not every frame was clean:', '', ...notes, '']
}

function countMet(rows) {
  return rows.filter(isMet).length
}

function isMet(row) {
  return medianOf(row) >= (row.to === undefined ? goals.reading : goals.pair)
}

function medianOf(row) {
  return row.ratios[Math.floor(row.ratios.length / 2)]
}

function ratioOf(row) {
  return `${medianOf(row).toFixed(2)} (${row.ratios[0].toFixed(2)}–${row.ratios.at(-1).toFixed(2)})`
}

function verdictOf(row) {
  return isMet(row) ? 'yes' : 'no'
}

function sizeOf(row) {
  return row.textBytes < 1024 ? `${row.textBytes} B` : `${row.textBytes / 1024} KiB`
}

function toLine(cells) {
  return `| ${cells.join(' | ')} |`
}
