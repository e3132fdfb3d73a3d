// Reads the output of the printer in one of three ways: as bytes, as JSON, or as a run of an agent.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { StringDecoder } from 'node:string_decoder'
import { answerParent } from '../harness/answer-parent.mjs'
import { usageHandlers } from '../harness/usage.mjs'
import { clock } from './clock.mjs'
import { agents } from './measured-agents.mjs'
import { linesOf, printer, textOf, toEnvironment } from './shapes.mjs'

const lineEnd = 10

const ways = {
  async bytes(shape) {
    let count = 0
    await readPrinter(shape, (chunk) => {
      for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) count += 1
    })
    expectAll(count, linesOf(shape), 'lines')
  },

  async json(shape) {
    const decoder = new StringDecoder('utf8')
    let rest = ''
    let count = 0
    await readPrinter(shape, (chunk) => {
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop()
      for (const line of lines) if (typeof JSON.parse(line) === 'object') count += 1
    })
    expectAll(count, linesOf(shape), 'lines')
  },

  async run(shape) {
    const { outputs, completion } = agents[shape.kind].run(
      { prompt: 'Print.', env: toEnvironment(shape) },
      { clock },
    )
    let length = 0
    for await (const { events } of outputs)
      for (const event of events) if (event.kind === 'text-delta') length += event.text.length
    await completion
    expectAll(length, textOf(shape), 'characters')
  },
}

answerParent({
  ...usageHandlers,
  read: ({ way, shape }) => ways[way](shape),
  /** Starts `count` printers at once and reads all of their output. */
  async readMany({ shape, count }) {
    await Promise.all(Array.from({ length: count }, () => ways.bytes(shape)))
  },
})

async function readPrinter(shape, onChunk) {
  const env = { PATH: process.env.PATH, ...toEnvironment(shape) }
  const child = spawn(printer, [], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.on('data', onChunk)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the printer ended with ${code}`)
}

function expectAll(found, expected, what) {
  if (found !== expected) throw new Error(`${found} of ${expected} ${what} were read`)
}
