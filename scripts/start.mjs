// Shows `sluice convert` at work on the bundled recording.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runQuietly } from './run-quietly.mjs'

const RECORDING = 'examples/recording.aaep.ndjson'
const INPUT_LINES = 4
const width = Math.max(40, process.stdout.columns ?? 120)

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const convert = ['convert', '--from', 'aaep', '--to', 'a2a', RECORDING]
const input = linesOf(readFileSync(RECORDING, 'utf8'))
const { code, output } = await runQuietly(process.execPath, ['packages/cli/bin/sluice.js', ...convert])

if (code === 0) {
  show(input, linesOf(output))
} else {
  process.stderr.write(output)
  process.exitCode = code
}

function show(before, after) {
  console.log(`Sluice translates the event streams of AI agents: any agent in, any client out.

An agent recorded as AAEP, ${RECORDING} (${before.length} events, the first ${INPUT_LINES}):
${excerpt(before.slice(0, INPUT_LINES))}

The same recording as A2A, ${after.length} events:
${excerpt(after)}

Lines are cut to ${width} characters here. To see them whole, and to try your own, paste:

  npx sluice ${convert.join(' ')}
  npx sluice validate --dialect auto ${RECORDING}
  npx sluice dialects
`)
}

function excerpt(lines) {
  return lines.map((line) => `  ${shorten(line, width - 2)}`).join('\n')
}

function shorten(line, length) {
  const characters = [...line]
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`
}

function linesOf(text) {
  return text.split('\n').filter((line) => line !== '')
}
