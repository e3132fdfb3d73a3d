import type { Clock } from '@sluice/protocol'
import {
  type CodeBlock,
  createToldQueue,
  type OpenQuestion,
  type Rank,
  ranks,
  tellTimeLeft,
  type Utterance,
  type Waiting,
} from '@sluice/protocol/narrate'
import type { Terminal } from '../io.ts'
import { createOutput } from '../output.ts'
import { wrapLines } from '../wrap-text.ts'
import { createBell } from './bell.ts'
import type { ListenPhrases } from './phrases/key-phrases.ts'
import type { Voice } from './speech/voice.ts'

/** Tells one utterance after the other: writes it, and waits until it is spoken if there is a voice. */
export interface Teller {
  tell(utterances: readonly Utterance[]): void
  /** What somebody asked for goes before what waits, but not before what is critical. */
  read(utterances: readonly Utterance[]): void
  /** The answer to a key goes before everything else, also in a pause. */
  respond(text: string): void
  /** Tells the last utterance again; false when there was none. */
  repeat(): boolean
  /** Drops what waits, and answers how much that was. */
  skip(): number
  /** In a pause only what is critical is told. */
  isPaused: boolean
  /** While somebody types, only answers to keys are told. */
  isHeld: boolean
  /** How many utterances wait. */
  readonly waiting: number
  /** The last block of code that was told of. */
  readonly lastCode: CodeBlock | undefined
  wasTold(question: OpenQuestion): boolean
  /** Resolves when there is room for more. */
  ready(): Promise<void>
  /** Resolves when everything was told. */
  finished(): Promise<void>
  /** Rejects when the reader of the output has gone; resolves when it is closed. */
  failed(): Promise<void>
  /** Tells no more, and falls silent. */
  close(): void
}

export interface TellerParts {
  readonly stdout: Terminal
  readonly voice?: Voice | undefined
  readonly clock: Clock
  readonly phrases: ListenPhrases
}

/** Hours of speech. Behind it the session waits at the gateway, which loses nothing. */
const maxWaiting = 10_000

export function createTeller({ stdout, voice, clock, phrases }: TellerParts): Teller {
  const out = createOutput(stdout)
  const queue = createToldQueue()
  const told = new WeakSet<OpenQuestion>()
  const changed = createBell()
  const moved = createBell()
  let current: Waiting | undefined
  let isAgain = false
  let last: Utterance | undefined
  let lastCode: CodeBlock | undefined
  let isPaused = false
  let isHeld = false
  let isClosed = false

  async function run(): Promise<void> {
    while (!isClosed) {
      current = queue.take(highestRank())
      if (current === undefined) {
        moved.ring()
        await changed.wait()
        continue
      }
      await tellOne(current)
      if (isAgain) queue.putBack({ ...current, isWritten: true })
      isAgain = false
      moved.ring()
    }
  }

  function highestRank(): Rank {
    if (isHeld) return ranks.key
    return isPaused ? ranks.asked : ranks.session
  }

  async function tellOne({ utterance, rank, isWritten }: Waiting): Promise<void> {
    const { question, code, language } = utterance
    const left = question === undefined ? '' : tellTimeLeft(question, clock.now(), phrases)
    const text = left === '' ? utterance.text : `${utterance.text} ${left}`
    if (rank !== ranks.key) last = utterance
    if (code !== undefined) lastCode = code
    if (question !== undefined) told.add(question)
    if (!isWritten) {
      // What a gateway answers may have several lines.
      out.write(wrapLines(`${text.replace(/[\r\n]+/g, ' ')}\n`, stdout))
      await out.flush()
    }
    await voice?.speak(text, language ?? phrases.language)
  }

  function add(utterances: readonly Utterance[], rank: Rank): void {
    for (const utterance of utterances) {
      // Where nothing has to wait, the order of the session is kept.
      const isUrgent = utterance.isCritical === true && (voice !== undefined || isPaused)
      const urgency = isUrgent ? ranks.critical : rank
      queue.add(utterance, urgency)
      if (urgency <= ranks.critical) interrupt(urgency)
    }
    changed.ring()
  }

  /** What is being spoken and is less urgent is broken off, and spoken again later unless a key had asked for it. */
  function interrupt(rank: Rank): void {
    if (current === undefined || (current.rank <= rank && rank !== ranks.key)) return
    if (voice?.stop() === true) isAgain = current.rank !== ranks.key
  }

  const running = run()
  running.catch(() => moved.ring()) // whoever waits for it is told

  /** Waits for the next move; rejects when the output has failed. */
  async function move(): Promise<void> {
    await Promise.race([running, moved.wait()])
  }

  return {
    tell: (utterances) => add(utterances, ranks.session),
    read: (utterances) => add(utterances, ranks.asked),
    respond: (text) => add([{ text }], ranks.key),
    repeat() {
      if (last === undefined) return false
      voice?.stop()
      queue.putBack({ utterance: last, rank: ranks.asked, isWritten: false })
      changed.ring()
      return true
    },
    skip() {
      if (current !== undefined && current.rank > ranks.critical) voice?.stop()
      return queue.skip()
    },
    get isPaused() {
      return isPaused
    },
    set isPaused(paused) {
      isPaused = paused
      changed.ring()
    },
    get isHeld() {
      return isHeld
    },
    set isHeld(held) {
      isHeld = held
      changed.ring()
    },
    get waiting() {
      return queue.length
    },
    get lastCode() {
      return lastCode
    },
    wasTold: (question) => told.has(question),
    async ready() {
      while (queue.length >= maxWaiting && !isClosed) await move()
    },
    async finished() {
      while ((queue.length > 0 || current !== undefined) && !isClosed) await move()
    },
    async failed() {
      await running
    },
    close() {
      isClosed = true
      queue.clear()
      voice?.stop()
      changed.ring()
    },
  }
}
