import { randomBytes } from 'node:crypto'
import { createClient, type DialectName, type Publisher } from '@sluice/client'
import { type FramedText, type FramingFault, omitUndefined, SluiceError } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { formatFinding } from '../finding-text.ts'
import {
  askGateway,
  connectionOptions,
  findGateway,
  patience,
  toClientOptions,
} from '../gateway-connection.ts'
import { inputFormats, openInput, readFrames } from '../input.ts'
import type { Io } from '../io.ts'
import { type LineFinding, type PublishedLine, settleLine } from '../line-finding.ts'
import { createOutput } from '../output.ts'
import { createProgressBar } from '../progress-bar.ts'
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
    const name = readProducer(stringValue(args, 'producer'))
    const connection = await findGateway(args, io, process.cwd())
    const client = createClient(toClientOptions(connection))
    const publisher = client.publisher<DialectName>(session, {
      ...patience,
      producer: { name, epoch: 0 },
      ...omitUndefined({ dialect }),
      onOutage(error) {
        // A gateway that never answered probably does not run; one that did will probably return.
        if (error.code === 'gateway_unreachable' && !hasAnswered(publisher)) throw error
        say(io, `${error.message} (${connection.url}) Trying again for a while.`)
      },
    })
    const faults = await askGateway(connection, publishFile({ file, publisher }, args, io))
    if (args.values['end'] === true) await client.sessions.end(session)
    const { stored, duplicates, findings } = publisher.tally
    const refused = publisher.tally.refused + faults
    const notes = findings === 0 ? '' : `; ${findings} findings on stored events`
    if (io.stderr.isTTY)
      io.stderr.write(`${stored} stored, ${duplicates} already stored, ${refused} refused${notes}\n`)
    return refused === 0 && findings === 0 ? exitCode.clean : exitCode.findings
  },
}

/** Publishes the events of a file and reports problems. Returns how many parts could not be framed. */
async function publishFile(
  { file, publisher }: { readonly file: string | undefined; readonly publisher: Publisher<unknown> },
  args: CommandArgs,
  io: Io,
): Promise<number> {
  const input = await openInput(file, io)
  const bar = createProgressBar(io, input.totalBytes)
  const out = createOutput(io.stdout)
  const err = createOutput(io.stderr)
  const format = args.values['json'] === true ? formatJson : formatFinding
  let faults = 0
  let listed = 0

  const publish = async (frames: readonly (FramedText | FramingFault)[]): Promise<void> => {
    const lines = await Promise.all(
      frames.map((frame) =>
        frame.ok ? settleLine(frame.line, publisher.sendText(frame.text)) : toFault(frame),
      ),
    )
    faults += frames.filter(({ ok }) => !ok).length
    for (const { refusal, findings } of lines) {
      if (refusal !== undefined) out.write(format(input.name, refusal))
      for (const finding of findings) err.write(format(input.name, finding))
      listed += findings.length
    }
    bar.clear()
    await out.flush()
    await err.flush()
  }

  let previous = Promise.resolve()
  try {
    for await (const frames of readFrames(input, readFormat(args), bar.advance)) {
      const current = publish(frames)
      current.catch(() => {}) // awaited below
      // While one chunk of the input is being sent, only the next one is read.
      await previous
      previous = current
    }
    await previous
  } finally {
    bar.clear()
  }
  const more = publisher.tally.findings - listed
  if (more > 0) say(io, `${more} more findings. To see all of them: sluice validate`)
  return faults
}

function hasAnswered({ tally: { stored, duplicates, refused } }: Publisher<unknown>): boolean {
  return stored + duplicates + refused > 0
}

function toFault({ code, line, bytes }: FramingFault): PublishedLine {
  const message = `This input could not be split into events and was not sent. (${bytes} bytes)`
  return { refusal: { code, line, path: '', message }, findings: [] }
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
