import {
  type CheckInfo,
  judgeProducer,
  judgeSubscriber,
  type Level,
  producerChecks,
  type Report,
  subscriberChecks,
} from '@sluice/conformance'
import { type Clock, nearestName, SluiceError } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue, stringValues } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { formatConformance } from '../format-conformance.ts'
import type { Io } from '../io.ts'
import { toSafeLine } from '../safe-text.ts'
import { formatTable } from '../text-table.ts'

export const conformanceCommand: Command = createConformanceCommand()

/** Creates the command with this clock; with the system clock by default. */
export function createConformanceCommand(clock?: Clock): Command {
  return {
    name: 'conformance',
    usage: 'conformance producer URL --trigger REQUEST|COMMAND | subscriber --listen PORT [OPTIONS]',
    summary:
      'Check a producer or a subscriber of AAEP at the levels 1, 2 and 3.\n' +
      'A producer is subscribed to, triggered, asked and cut off; a subscriber is played a script.\n' +
      'What could not be provoked is "not run". The exit code is 0 when nothing failed.',
    options: {
      trigger: {
        type: 'string',
        value: 'REQUEST|COMMAND',
        help: 'Starts a session: "POST http://… BODY", or a command, which runs without a shell.',
      },
      transport: {
        type: 'string',
        value: 'sse|ws',
        choices: ['sse', 'ws'],
        help: 'How to subscribe to a producer (default sse).',
      },
      token: {
        type: 'string',
        value: 'TOKEN',
        help: 'A bearer token for the producer; SLUICE_TOKEN keeps it out of the list of processes.',
      },
      jwks: {
        type: 'string',
        value: 'URL',
        help: 'The keys of a signed manifest (default /.well-known/jwks.json of the producer).',
      },
      listen: { type: 'string', value: 'PORT', help: 'Where a subscriber is to connect, on 127.0.0.1.' },
      interactive: { type: 'boolean', help: 'A person sits at the subscriber and does what is printed.' },
      level: {
        type: 'string',
        value: '1|2|3',
        choices: ['1', '2', '3'],
        help: 'The highest level to check (default 3).',
      },
      only: {
        type: 'string',
        value: 'ID',
        multiple: true,
        help: 'Judge this check only; may be given again.',
      },
      timeout: {
        type: 'string',
        value: 'SECONDS',
        help: 'How long a session may take (default 60), or a subscriber to come (default 120).',
      },
      wait: {
        type: 'string',
        value: 'SECONDS',
        help: 'The longest timeout of a question that is sat out (default 30).',
      },
      json: { type: 'boolean', help: 'Print the report as one JSON object, with every place.' },
      list: { type: 'boolean', help: 'Print every check and leave.' },
    },
    example: 'npx sluice conformance --list',

    async run(args, io) {
      if (args.values['list'] === true) {
        io.stdout.write(listChecks())
        return exitCode.clean
      }
      const [role, url, ...more] = args.positionals
      if (role === 'producer' && url !== undefined && more.length === 0)
        return checkProducer({ url, clock }, args, io)
      if (role === 'subscriber' && url === undefined) return checkSubscriber(args, io, clock)
      throw usage('Usage: sluice conformance producer URL --trigger …, or subscriber --listen PORT.')
    },
  }
}

async function checkProducer(
  { url, clock }: { readonly url: string; readonly clock: Clock | undefined },
  args: CommandArgs,
  io: Io,
): Promise<number> {
  const trigger = stringValue(args, 'trigger')
  if (trigger === undefined || trigger.trim() === '')
    throw usage('--trigger is needed: a request or a command that starts a session.')
  const jwks = stringValue(args, 'jwks')
  const runMs = readSeconds(args, 'timeout')
  const maxTimeoutMs = readSeconds(args, 'wait')
  const report = await judgeProducer({
    url: readUrl(url, 'URL'),
    trigger,
    transport: stringValue(args, 'transport') === 'ws' ? 'ws' : 'sse',
    level: readLevel(args),
    only: readOnly(args, producerChecks),
    token: stringValue(args, 'token') ?? io.env['SLUICE_TOKEN'],
    jwks: jwks === undefined ? undefined : readUrl(jwks, '--jwks'),
    times: { ...(runMs && { runMs }), ...(maxTimeoutMs && { maxTimeoutMs }) },
    clock,
    onStep: (sentence) => io.stderr.write(`${toSafeLine(sentence, 1000)}\n`),
  })
  return print(report, args, io)
}

async function checkSubscriber(args: CommandArgs, io: Io, clock?: Clock): Promise<number> {
  const port = Number(stringValue(args, 'listen') ?? Number.NaN)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw usage('--listen needs a port.')
  const isInteractive = args.values['interactive'] === true
  const arriveMs = readSeconds(args, 'timeout')
  const report = await judgeSubscriber({
    port,
    isInteractive,
    level: readLevel(args),
    only: readOnly(args, subscriberChecks),
    times: { ...(arriveMs && { arriveMs }) },
    clock,
    onListening: (address) => io.stderr.write(`Connect the subscriber to ${address}\n`),
    onInstruction: (sentence) => isInteractive && io.stderr.write(`${toSafeLine(sentence, 1000)}\n`),
  })
  return print(report, args, io)
}

function print(report: Report, args: CommandArgs, io: Io): number {
  const isJson = args.values['json'] === true
  io.stdout.write(isJson ? `${JSON.stringify(report, undefined, 2)}\n` : formatConformance(report))
  return report.counts.failed > 0 ? exitCode.findings : exitCode.clean
}

function listChecks(): string {
  return formatTable(
    [...producerChecks, ...subscriberChecks].map(({ id, section, sentence }) => [id, section, sentence]),
  )
}

function readLevel(args: CommandArgs): Level {
  const level = stringValue(args, 'level')
  return level === '1' ? 1 : level === '2' ? 2 : 3
}

function readOnly(args: CommandArgs, checks: readonly CheckInfo[]): readonly string[] {
  const known = checks.map(({ id }) => id)
  const named = stringValues(args, 'only').map((id) => id.toUpperCase())
  for (const id of named) {
    if (known.includes(id)) continue
    const near = nearestName(id, known)
    throw usage(`There is no check of this id.${near === undefined ? '' : ` Did you mean ${near}?`}`)
  }
  return named
}

function readSeconds(args: CommandArgs, name: string): number | undefined {
  const text = stringValue(args, name)
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!(seconds > 0 && seconds <= 86_400)) throw usage(`--${name} needs a number of seconds.`)
  return seconds * 1000
}

function readUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw usage(`${name} needs an address such as http://127.0.0.1:4747.`)
}

function usage(message: string): SluiceError {
  return new SluiceError('usage', { message: `${message} See: sluice conformance --help` })
}
