// npm run bench [-- --quick] [suite…]: runs the named suites, or all, and writes their results to RESULTS.md.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { agentsSuite } from './agents/suite.mjs'
import { appendSuite } from './append/suite.mjs'
import { consoleSuite } from './console/suite.mjs'
import { fanOutSuite } from './fan-out/suite.mjs'
import { growthSuite } from './growth/suite.mjs'
import { ingestSuite } from './ingest/suite.mjs'
import { latencySuite } from './latency/suite.mjs'
import { memorySuite } from './memory/suite.mjs'
import { pacingSuite } from './pacing/suite.mjs'
import { replaySuite } from './replay/suite.mjs'
import { writeSection } from './report/results.mjs'
import { resumeSuite } from './resume/suite.mjs'
import { sessionsSuite } from './sessions/suite.mjs'
import { transcodeSuite } from './transcode/suite.mjs'

const suites = [
  transcodeSuite,
  appendSuite,
  ingestSuite,
  fanOutSuite,
  sessionsSuite,
  replaySuite,
  resumeSuite,
  memorySuite,
  growthSuite,
  latencySuite,
  pacingSuite,
  agentsSuite,
  consoleSuite,
]

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))

if (unknown.length > 0) {
  const list = suites.map((suite) => `  ${suite.name}  ${suite.summary}`).join('\n')
  process.stderr.write(`No suite has the name ${unknown.join(', ')}. There are:\n\n${list}\n`)
  process.exitCode = 2
} else {
  keepDataTogether()
  const options = { isQuick: values.quick, runs: values.quick ? 1 : 3 }
  for (const suite of suites) {
    if (names.length > 0 && !names.includes(suite.name)) continue
    const start = performance.now()
    const section = await suite.run(options)
    process.stderr.write(`${suite.name}: ${Math.round((performance.now() - start) / 1000)} s\n`)
    // A quick run is for trying: nothing of it is kept.
    if (options.isQuick) process.stdout.write(`\n## ${suite.name}\n\n${section}\n`)
    else writeSection(suite.name, section)
  }
}

/** Keeps all data directories in one that is removed when this process ends, however it ends. */
function keepDataTogether() {
  const directory = mkdtempSync(join(process.env.SLUICE_BENCH_DATA ?? tmpdir(), 'sluice-bench-'))
  process.env.SLUICE_BENCH_DATA = directory
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
}
