import { createClient } from '@sluice/client'
import { omitUndefined, SluiceError } from '@sluice/protocol'
import { type Command, type CommandArgs, stringValue } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import { followSession } from '../follow-session.ts'
import {
  askGateway,
  connectionOptions,
  findGateway,
  toClientOptions,
  toFlags,
} from '../gateway-connection.ts'
import { createQuestionNotice } from '../question-notice.ts'
import { watchConnection } from '../watch-connection.ts'
import { readDialect } from './dialect-option.ts'

export const tailCommand: Command = {
  name: 'tail',
  usage: 'tail SESSION [--dialect DIALECT] [--after CURSOR] [--coalesce BOUNDARY] [OPTIONS]',
  summary:
    'Follow a session to its end, reconnecting as needed.\n' +
    'On a terminal it prints readable text, in a pipe one frame per line.',
  options: {
    dialect: { type: 'string', value: 'DIALECT', help: 'The dialect of the frames (default sluice).' },
    after: {
      type: 'string',
      value: 'CURSOR',
      help: 'Start after this cursor; -1 (the default) is the start, now the end.',
    },
    coalesce: {
      type: 'string',
      value: 'BOUNDARY',
      help: 'Join pieces of text: word, sentence, paragraph, or a span such as 40ms.',
    },
    output: {
      type: 'string',
      value: 'text|ndjson',
      choices: ['text', 'ndjson'],
      help: 'The output format; by default text on a terminal without --dialect, else ndjson.',
    },
    ...connectionOptions,
  },
  example: 'npx sluice tail sess_evoraweekend --coalesce sentence',

  async run(args, io) {
    const session = readSession(args)
    const named = stringValue(args, 'dialect')
    const dialect = named === undefined ? undefined : readDialect(named)?.id
    const usual = named === undefined && io.stdout.isTTY ? 'text' : 'ndjson'
    const isText = (stringValue(args, 'output') ?? usual) === 'text'
    if (isText && named !== undefined)
      throw new SluiceError('usage', { message: '--output text has no dialect; omit --dialect.' })
    const options = readPlace(args)
    const connection = await findGateway(args, io, process.cwd())
    const client = createClient(toClientOptions(connection))
    const watch = watchConnection(io)
    const notice = io.stdout.isTTY
      ? undefined
      : createQuestionNotice({ client, session, io, url: connection.url, flags: toFlags(args, io) })
    const following = followSession({
      ...{ client, session, io, watch, ...options },
      show: isText ? { as: 'text' } : omitUndefined({ as: 'ndjson', dialect }),
      heed(events) {
        notice?.heed(events)
        return ''
      },
    })
    try {
      await askGateway(connection, following)
    } finally {
      watch.release()
    }
    return exitCode.clean
  },
}

function readSession({ positionals }: CommandArgs): string {
  const [session, ...more] = positionals
  if (session !== undefined && session !== '' && more.length === 0) return session
  throw new SluiceError('usage', { message: 'Usage: sluice tail SESSION. See: sluice tail --help' })
}

function readPlace(args: CommandArgs): { readonly after?: string; readonly coalesce?: string } {
  const after = stringValue(args, 'after')
  const coalesce = stringValue(args, 'coalesce')
  if (coalesce !== undefined && !/^(word|sentence|paragraph|\d{1,5}ms)$/.test(coalesce))
    throw new SluiceError('usage', {
      message: '--coalesce is word, sentence, paragraph, or a span such as 40ms.',
    })
  return omitUndefined({ after, coalesce })
}
