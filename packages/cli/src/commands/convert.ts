import {
  type Dialect,
  encodeNdjson,
  encodeSse,
  formatCursor,
  type OutFrame,
  omitUndefined,
  SluiceError,
} from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { formatFinding } from '../finding-text.ts'
import { inputFormats, openInput } from '../input.ts'
import { createOutput } from '../output.ts'
import { createProgressBar } from '../progress-bar.ts'
import { readRecording } from '../recording.ts'
import { readDialect } from './dialect-option.ts'
import { readFile, readFormat } from './file-option.ts'

export const convertCommand: Command = {
  name: 'convert',
  usage: 'convert --from DIALECT|auto --to DIALECT [OPTIONS] [FILE|-]',
  summary:
    'Convert a recording from one dialect to another.\n' +
    'Frames go to standard output, findings to standard error as FILE:LINE code /pointer message.',
  options: {
    from: {
      type: 'string',
      value: 'DIALECT',
      help: 'The dialect of the input; auto (the default) detects it.',
    },
    to: { type: 'string', value: 'DIALECT', help: 'The dialect of the output. See: sluice dialects' },
    session: {
      type: 'string',
      value: 'ID',
      help: 'Select this session; for an input without session ids, name it.',
    },
    at: {
      type: 'string',
      value: 'TIME',
      help: 'The start time for an input without times (default 1970-01-01T00:00:00Z).',
    },
    input: {
      type: 'string',
      value: inputFormats.join('|'),
      choices: inputFormats,
      help: 'The framing of the input; detected by default.',
    },
    output: {
      type: 'string',
      value: 'ndjson|sse',
      choices: ['ndjson', 'sse'],
      help: 'The framing of the output (default ndjson).',
    },
  },
  example: 'npx sluice convert --from aaep --to a2a examples/recording.aaep.ndjson',

  async run(args, io) {
    const from = readDialect(stringValue(args, 'from') ?? 'auto')
    const to = readTarget(args)
    const session = stringValue(args, 'session')
    const at = readTime(stringValue(args, 'at'))
    const write = stringValue(args, 'output') === 'sse' ? formatSse : formatNdjson
    const format = readFormat(args)
    const input = await openInput(readFile(args), io)
    const bar = createProgressBar(io, input.totalBytes)
    const out = createOutput(io.stdout)
    const err = createOutput(io.stderr)
    let hasFindings = false
    const steps = readRecording(input, {
      from,
      to,
      format,
      onBytes: bar.advance,
      ...omitUndefined({ session, at }),
    })
    try {
      for await (const { converted, findings } of steps) {
        for (const { frames } of converted) for (const frame of frames) out.write(write(frame))
        await out.flush()
        if (findings.length === 0) continue
        hasFindings = true
        bar.clear()
        for (const finding of findings) err.write(formatFinding(input.name, finding))
        await err.flush()
      }
    } finally {
      bar.clear()
    }
    return hasFindings ? exitCode.findings : exitCode.clean
  },
}

function readTarget(args: CommandArgs): Dialect {
  const name = stringValue(args, 'to')
  const dialect = name === undefined ? undefined : readDialect(name)
  if (dialect === undefined)
    throw new SluiceError('usage', { message: '--to needs the name of a dialect. See: sluice dialects' })
  return dialect
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time) || time < 0)
    throw new SluiceError('usage', { message: '--at needs a time such as 2026-01-31T12:00:00Z.' })
  return time
}

const formatNdjson = (frame: OutFrame): string => encodeNdjson(frame.data)
const formatSse = (frame: OutFrame): string =>
  encodeSse({ data: frame.data, id: frame.id ?? formatCursor(frame.cursor) })
