import type { Clock } from '@sluice/protocol'
import { createNarrator, type Verbosity } from '@sluice/protocol/narrate'
import type { Io } from '../io.ts'
import { quoteImitations } from './imitation.ts'
import { createKeyboard, type Keyboard, type TerminalInput } from './keyboard/keyboard.ts'
import { createKeys } from './keyboard/keys.ts'
import type { ListenSource } from './listen-source.ts'
import type { ListenPhrases } from './phrases/key-phrases.ts'
import { tellKeys } from './questions/tell-keys.ts'
import type { Voice } from './speech/voice.ts'
import { createTeller } from './teller.ts'

export interface ListenOptions {
  readonly source: ListenSource
  readonly io: Pick<Io, 'stdout' | 'stderr'> & { readonly stdin: TerminalInput }
  readonly clock: Clock
  readonly phrases: ListenPhrases
  readonly verbosity: Verbosity
  readonly voice?: Voice | undefined
  /** Called when a question arrives and there is no keyboard to answer it. */
  onUnanswerable?(): void
  /** Ends listening, like the key q. */
  readonly quit?: Promise<unknown>
}

/**
 * Announces a session from its first event to its end. With a keyboard it resolves only when q is pressed, so
 * that the announcements can be repeated after the end; otherwise it resolves when everything was announced.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { source, io, clock, phrases, verbosity, voice } = options
  const canAnswer = io.stdin.isTTY === true
  const narrator = createNarrator({
    phrases,
    verbosity,
    hintAt: (question) => (canAnswer ? tellKeys(question, phrases) : []),
  })
  const teller = createTeller({ stdout: io.stdout, voice, clock, phrases })
  let keyboard: Keyboard | undefined
  const pressedQuit = new Promise<void>((quit) => {
    const readLine = async () => keyboard?.readLine()
    const keys = createKeys({ narrator, teller, phrases, reply: source.reply, readLine, quit })
    keyboard = createKeyboard(io.stdin, { onKey: keys.press, onEnd: quit })
  })
  if (keyboard !== undefined) io.stderr.write(`${phrases.pressForKeys}\n`)

  async function follow(): Promise<void> {
    for await (const event of source) {
      teller.tell(quoteImitations(narrator.hear(event), phrases))
      if (!canAnswer && event.type.startsWith('aaep:agent.awaiting.')) options.onUnanswerable?.()
      if (narrator.place.hasEnded) break
      await teller.ready()
    }
    teller.tell(quoteImitations(narrator.end(), phrases))
    if (keyboard === undefined) return teller.finished()
    teller.tell([{ text: phrases.pressToQuit, isKept: true }])
    await pressedQuit
  }

  try {
    await Promise.race([follow(), pressedQuit, options.quit ?? pressedQuit, teller.failed()])
  } finally {
    keyboard?.release()
    teller.close()
  }
}
