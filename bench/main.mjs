// npm run bench [-- suite…]: runs the named suites, or all, and keeps what they found in RESULTS.md.

import { writeSection } from './report/results.mjs'
import { transcodeSuite } from './transcode/suite.mjs'

const suites = [transcodeSuite]

const names = process.argv.slice(2)
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))

if (unknown.length > 0) {
  const list = suites.map((suite) => `  ${suite.name}  ${suite.summary}`).join('\n')
  process.stderr.write(`No suite has the name ${unknown.join(', ')}. There are:\n\n${list}\n`)
  process.exitCode = 2
} else {
  for (const suite of suites) {
    if (names.length > 0 && !names.includes(suite.name)) continue
    writeSection(suite.name, await suite.run())
  }
}
