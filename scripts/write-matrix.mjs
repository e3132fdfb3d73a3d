// Writes the support matrix of README.md from the dialects in dist/. `--check` writes nothing and fails with
// a sentence when the matrix is stale; `--print` prints it.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { dialects } from '../packages/protocol/dist/dialects/index.js'
import { eventKinds } from '../packages/protocol/dist/index.js'

const README = fileURLToPath(new URL('../README.md', import.meta.url))
const MARKED = /(<!-- matrix:start -->\n)[\s\S]*(<!-- matrix:end -->)/
const MARKS = { full: 'full', part: 'part', carried: 'carried', none: '–' }

const matrix = formatMatrix()
const before = readFileSync(README, 'utf8')
const after = before.replace(MARKED, (_, start, end) => `${start}\n${matrix}\n${end}`)

if (!MARKED.test(before)) {
  console.log('README.md has no place for the support matrix')
  process.exitCode = 1
} else if (process.argv.includes('--print')) {
  console.log(matrix)
} else if (process.argv.includes('--check')) {
  if (before !== after) console.log('the support matrix is stale: node scripts/write-matrix.mjs writes it')
  process.exitCode = before === after ? 0 : 1
} else {
  writeFileSync(README, after)
}

function formatMatrix() {
  const yesNo = (value) => (value ? 'yes' : MARKS.none)
  const rows = [
    ...eventKinds.map((kind) => [`\`${kind}\``, ({ supports }) => MARKS[supports.kinds[kind]]]),
    ['session ids', ({ supports }) => yesNo(supports.sessionIds)],
    ['event ids', ({ supports }) => yesNo(supports.eventIds)],
    ['times', ({ supports }) => yesNo(supports.timestamps)],
    ['a frame for the end', ({ supports }) => yesNo(supports.terminal)],
    ['request text', ({ supports }) => yesNo(supports.payloads.request)],
    ['tool arguments', ({ supports }) => yesNo(supports.payloads.toolArgs)],
    ['tool results', ({ supports }) => yesNo(supports.payloads.toolResults)],
  ].map(([name, cell]) => [name, ...dialects.map(cell)])
  const head = ['', ...dialects.map(({ id }) => `[${id}](docs/dialects/${id}.md)`)]
  const rule = head.map((_, column) => (column === 0 ? '---' : ':-:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
