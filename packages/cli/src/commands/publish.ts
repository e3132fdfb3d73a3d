import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@sluice/client'
import { type FramedText, type FramingFault, SluiceError, toOneLine } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { formatFinding } from '../finding-text.ts'
import { connectionOptions, findGateway, toClientOptions } from '../gateway-connection.ts'
import { type IngestTarget, ingestLines, type Line, type LineFinding } from '../ingest-lines.ts'
import { inputFormats, openInput, readFrames } from '../input.ts'
import type { Io } from '../io.ts'
import { createLineQueue } from '../line-queue.ts'
import { createOutput, type Output } from '../output.ts'
import { createProgressBar } from '../progress-bar.ts'
import { retry } from '../retry.ts'
import { say } from '../say.ts'
import { readDialect } from './dialect-option.ts'
import { readFormat } from './file-option.ts'

export const publishCommand: Command = {
  name: 'publish',
  usage: 'publish SESSION [--dialect DIALECT] [OPTIONS] [FILE|-]',
  summary:
    'Send events to a session as they arrive. The gateway stores each event once.\n' +
    'Refused events go to standard output as FILE:LINE code /pointer message; the others are still sent.\n' +
    'Findings on stored events go to standard error in the same form. In both cases the exit code is 1.',
  options: {
    dialect: {
      type: 'string',
      value: 'DIALECT',
      help: 'The dialect of the events; by default detected from the first event.',
    },
    input: {
      type: 'string',
      value: inputFormats.join('|'),
      choices: inputFormats,
      help: 'The framing of the input; detected by default.',
    },
    producer: {
      type: 'string',
      value: 'NAME',
      help: 'Number the events under this name, so that sending the same input again stores nothing twice.',
    },
    end: {
      type: 'boolean',
      help: 'End the session after the last event, for dialects without an end event.',
    },
    json: {
      type: 'boolean',
      help: 'Print one JSON object per refused event or finding: line, code, path, message.',
    },
    ...connectionOptions,
  },
  example: 'npx sluice publish sess_evoraweekend examples/recording.aaep.ndjson',

  async run(args, io) {
    const { session, file } = readPlaces(args)
    const dialect = readDialect(stringValue(args, 'dialect') ?? 'auto')?.id
    const producer = readProducer(stringValue(args, 'producer'))
    const connection = await findGateway(args, io, process.cwd())
    const target = { connection, session, dialect, producer }
    const { isClean, summary } = await publishFile(file, target, args, io)
    if (args.values['end'] === true) await createClient(toClientOptions(connection)).sessions.end(session)
    if (io.stderr.isTTY) io.stderr.write(`${summary}\n`)
    return isClean ? exitCode.clean : exitCode.findings
  },
}

async function publishFile(
  file: string | undefined,
  target: IngestTarget,
  args: CommandArgs,
  io: Io,
): Promise<{ isClean: boolean; summary: string }> {
  const input = await openInput(file, io)
  const bar = createProgressBar(io.stderr, input.totalBytes)
  const out = createOutput(io.stdout)
  const err = createOutput(io.stderr)
  const write = args.values['json'] === true ? formatJson : formatFinding
  const counts = { accepted: 0, duplicates: 0, refused: 0, findings: 0 }
  let number = 0

  const print = async (findings: readonly LineFinding[], to: Output): Promise<void> => {
    if (findings.length === 0) return
    bar.clear()
    for (const finding of findings) to.write(write(input.name, finding))
    await to.flush()
  }
  const refuse = async (findings: readonly LineFinding[]): Promise<void> => {
    counts.refused += findings.length
    await print(findings, out)
  }
  const queue = createLineQueue(async (lines) => {
    const send = () => ingestLines(target, lines, number)
    const answer = await retry(send, {
      // A gateway that never answered is most likely not there; one that did comes back.
      isFinal: ({ code }) => number === 0 && code === 'gateway_unreachable',
      onOutage: ({ message }) => say(io, `${message} Trying again for a while.`),
      pause,
      now: () => performance.now(),
      random: Math.random,
    })
    number += lines.length
    counts.accepted += answer.accepted
    counts.duplicates += answer.duplicates
    counts.findings += answer.findingsCount
    await refuse(answer.refused)
    await print(answer.findings, err)
    const more = answer.findingsCount - answer.findings.length
    if (more > 0) say(io, `${more} more findings on these lines. To see all of them: sluice validate`)
  })
  try {
    for await (const frames of readFrames(input, readFormat(args), bar.advance)) {
      await refuse(frames.flatMap((frame) => (frame.ok ? [] : [toFinding(frame)])))
      await queue.push(frames.flatMap((frame): readonly Line[] => (frame.ok ? [toLine(frame)] : [])))
    }
    await queue.end()
  } finally {
    bar.clear()
  }
  return { isClean: counts.refused === 0 && counts.findings === 0, summary: formatCounts(counts) }
}

function toFinding({ code, line, bytes }: FramingFault): LineFinding {
  return {
    code,
    line,
    path: '',
    message: `This input could not be split into events and was not sent. (${bytes} bytes)`,
  }
}

function toLine({ text, line }: FramedText): Line {
  return { text: toOneLine(text), line }
}

function readPlaces({ positionals }: CommandArgs): { session: string; file: string | undefined } {
  const [session, file, ...more] = positionals
  if (session === undefined || session === '' || more.length > 0)
    throw new SluiceError('usage', {
      message: 'Usage: sluice publish SESSION [FILE|-]. See: sluice publish --help',
    })
  return { session, file }
}

function readProducer(name: string | undefined): string {
  if (name === undefined) return `cli-${randomBytes(9).toString('base64url')}`
  if (/^[!-+\--:<-~]{1,128}$/.test(name)) return name
  throw new SluiceError('usage', {
    message: '--producer needs 1 to 128 printable ASCII characters without ";", "," and space.',
  })
}

function formatJson(_file: string, { line, code, path, message }: LineFinding): string {
  return `${JSON.stringify({ line, code, path, message })}\n`
}

function formatCounts(
  counts: Readonly<Record<'accepted' | 'duplicates' | 'refused' | 'findings', number>>,
): string {
  const { accepted, duplicates, refused, findings } = counts
  const notes = findings === 0 ? '' : `; ${findings} findings on stored events`
  return `${accepted} stored, ${duplicates} already stored, ${refused} refused${notes}`
}
