import { type Finding, lintJson } from '@sluice/protocol'
import { type Command, stringValue } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { formatFinding } from '../finding-text.ts'
import { inputFormats, openInput } from '../input.ts'
import { createOutput } from '../output.ts'
import { createProgressBar } from '../progress-bar.ts'
import { type PlacedFinding, readRecording } from '../recording.ts'
import { readDialect } from './dialect-option.ts'
import { readFile, readFormat } from './file-option.ts'

export const validateCommand: Command = {
  name: 'validate',
  usage: 'validate --dialect DIALECT|auto [--json] [FILE|-]',
  summary:
    'List what is wrong with a recording: its shape, its sequence, and data that JSON readers lose silently.\n' +
    'One finding per line on standard output, as FILE:LINE code /pointer message.',
  options: {
    dialect: {
      type: 'string',
      value: 'DIALECT',
      help: 'The dialect of the input; auto (the default) detects it.',
    },
    json: { type: 'boolean', help: 'Print one JSON object per finding: line, code, path, message, rule.' },
    input: {
      type: 'string',
      value: inputFormats.join('|'),
      choices: inputFormats,
      help: 'The framing of the input; detected by default.',
    },
  },
  example: 'npx sluice validate --dialect auto examples/recording.aaep.ndjson',

  async run(args, io) {
    const from = readDialect(stringValue(args, 'dialect') ?? 'auto')
    const format = readFormat(args)
    const write = args.values['json'] === true ? formatJson : formatFinding
    const input = await openInput(readFile(args), io)
    const bar = createProgressBar(io, input.totalBytes)
    const out = createOutput(io.stdout)
    let frames = 0
    let found = 0
    try {
      for await (const step of readRecording(input, { from, format, onBytes: bar.advance, lint })) {
        frames += step.converted.length
        found += step.findings.length
        if (step.findings.length === 0) continue
        bar.clear()
        for (const finding of step.findings) out.write(write(input.name, finding))
        await out.flush()
      }
    } finally {
      bar.clear()
    }
    if (io.stderr.isTTY === true)
      io.stderr.write(`${frames} frames, ${found === 0 ? 'no' : found} findings\n`)
    return found > 0 ? exitCode.findings : exitCode.clean
  },
}

function formatJson(_file: string, { line, code, path, message, rule }: PlacedFinding): string {
  return `${JSON.stringify({ line, code, path, message, rule })}\n`
}

const lintSentences = {
  duplicate_key: 'The object has this key twice; readers keep only one of them.',
  unsafe_number: 'The number is beyond what a double holds; readers change it.',
} as const

function lint(text: string): readonly Finding[] {
  return lintJson(text).map(({ code, pointer }) => ({
    code,
    path: pointer,
    message: lintSentences[code],
    rule: 'RFC 7493 (I-JSON)',
  }))
}
