import { createClient } from '@sluice/client'
import { type Clock, SluiceError } from '@sluice/protocol'
import type { Command, CommandArgs } from '../command.ts'
import { exitCode } from '../exit-code.ts'
import {
  askGateway,
  connectionOptions,
  findGateway,
  toClientOptions,
  toFlags,
} from '../gateway-connection.ts'
import type { Io } from '../io.ts'
import type { TerminalInput } from '../listen/keyboard/keyboard.ts'
import { listen } from '../listen/listen.ts'
import { phrasesFor } from '../listen/phrases/phrases-for.ts'
import { findSpeech } from '../listen/speech/find-speech.ts'
import { createVoice, type Voice } from '../listen/speech/voice.ts'
import { readWish, toTerms } from '../listen/terms.ts'
import { createQuestionNotice } from '../question-notice.ts'
import { say } from '../say.ts'
import { waitForShutdown } from '../shutdown.ts'
import { watchConnection } from '../watch-connection.ts'

export const listenCommand: Command = {
  name: 'listen',
  usage: 'listen SESSION [--speak] [--rate WPM] [--verbosity LEVEL] [--language TAG] [OPTIONS]',
  summary:
    'Follow a session by ear: one line per utterance, for a screen reader, a braille display or a voice.\n' +
    'On a terminal, single keys repeat, skip, say where we are and answer questions; ? lists them.',
  options: {
    speak: { type: 'boolean', help: 'Speak through espeak-ng, espeak or say.' },
    rate: { type: 'string', value: 'WPM', help: 'Words a minute, from 50 to 1000.' },
    verbosity: {
      type: 'string',
      value: 'terse|normal|detailed',
      choices: ['terse', 'normal', 'detailed'],
      help: 'How much to say about each event (default normal).',
    },
    language: {
      type: 'string',
      value: 'TAG',
      multiple: true,
      help: 'A preferred language, such as es; can be repeated, best first (default en).',
    },
    load: {
      type: 'string',
      value: 'low|medium|high',
      choices: ['low', 'medium', 'high'],
      help: 'How much the listener can take; low omits background events.',
    },
    from: {
      type: 'string',
      value: 'start|now',
      choices: ['start', 'now'],
      help: 'Where to begin (default start).',
    },
    ...connectionOptions,
  },
  example: 'npx sluice listen sess_evoraweekend --verbosity terse',

  async run(args, io) {
    const session = readSession(args)
    const wish = readWish(args)
    const phrases = phrasesFor(wish.languages)
    const voice = args.values['speak'] === true ? openVoice(io, wish.rateWpm) : undefined
    const stdin: TerminalInput = io.stdin
    const connection = await findGateway(args, io, process.cwd())
    const client = createClient(toClientOptions(connection))
    const { session: found } = await askGateway(connection, client.snapshot(session))
    if (found.state === 'ended' && wish.from === 'now') {
      io.stdout.write(`${phrases.ended}\n`)
      return exitCode.clean
    }
    const watch = watchConnection(io)
    const shutdown = waitForShutdown(io.clock)
    const source = client.subscribeAaep(toTerms(wish, { canAnswer: stdin.isTTY === true }), {
      sessions: [session],
      after: wish.from,
      subscriber: { id: 'sluice-listen', name: 'sluice listen' },
      signal: watch.signal,
      onConnection: watch.onConnection,
    })
    const notice = createQuestionNotice({
      ...{ client, session, io, url: connection.url },
      flags: toFlags(args, io),
    })
    const listening = {
      ...{ io: { ...io, stdin }, clock: io.clock, phrases, verbosity: wish.verbosity, voice },
      onUnanswerable: notice.look,
    }
    try {
      await askGateway(connection, listen({ ...listening, source, quit: shutdown.asked }))
      await closeInTime(source.close(), io.clock)
    } finally {
      shutdown.release()
      watch.release()
    }
    return exitCode.clean
  },
}

/** Does not wait long: the gateway itself closes an abandoned subscription later. */
async function closeInTime(closing: Promise<void>, clock: Clock): Promise<void> {
  const late = new Promise<void>((resolve) => clock.after(closeWithinMs, resolve))
  await Promise.race([closing.catch(() => {}), late])
}

const closeWithinMs = 2000

function openVoice(io: Io, rateWpm: number | undefined): Voice {
  const program = findSpeech(io.env)
  const onFailure = (): void => {
    say(io, `${program.path} failed to speak; the text continues.`)
  }
  return createVoice({ program, rateWpm, env: io.env, onFailure })
}

function readSession({ positionals }: CommandArgs): string {
  const [session, ...more] = positionals
  if (session !== undefined && session !== '' && more.length === 0) return session
  throw new SluiceError('usage', { message: 'Usage: sluice listen SESSION. See: sluice listen --help' })
}
