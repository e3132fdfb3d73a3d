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

/** Announces one utterance after the other: writes it and, if there is a voice, waits until it is spoken. */
export interface Teller {
  tell(utterances: readonly Utterance[]): void
  /** Announces requested utterances before the waiting ones, but after critical ones. */
  read(utterances: readonly Utterance[]): void
  /** Announces the answer to a key before everything else, even while paused. */
  respond(text: string): void
  /** Announces the last utterance again; false when there was none. */
  repeat(): boolean
  /** Drops the waiting utterances that may be skipped, and returns their number. */
  skip(): number
  /** While paused, only answers to keys, critical and requested utterances are announced. */
  isPaused: boolean
  /** While the person types, only answers to keys are announced. */
  isHeld: boolean
  /** The number of waiting utterances. */
  readonly waiting: number
  /** The last block of code that was announced. */
  readonly lastCode: CodeBlock | undefined
  wasTold(question: OpenQuestion): boolean
  /** Resolves when there is room for more. */
  ready(): Promise<void>
  /** Resolves when everything was announced. */
  finished(): Promise<void>
  /** Rejects when the reader of the output is gone; resolves after close(). */
  failed(): Promise<void>
  /** Stops announcing and speaking. */
  close(): void
}

export interface TellerParts {
  readonly stdout: Terminal
  readonly voice?: Voice | undefined
  readonly clock: Clock
  readonly phrases: ListenPhrases
}

/** Hours of speech. Beyond that, the session waits at the gateway, which loses nothing. */
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
      // An answer of the gateway may have several lines.
      out.write(wrapLines(`${text.replace(/[\r\n]+/g, ' ')}\n`, stdout))
      await out.flush()
    }
    await voice?.speak(text, language ?? phrases.language)
  }

  function add(utterances: readonly Utterance[], rank: Rank): void {
    for (const utterance of utterances) {
      // If nothing has to wait, utterances keep the order of the session.
      const isUrgent = utterance.isCritical === true && (voice !== undefined || isPaused)
      const urgency = isUrgent ? ranks.critical : rank
      queue.add(utterance, urgency)
      if (urgency <= ranks.critical) interrupt(urgency)
    }
    changed.ring()
  }

  /** Stops a less urgent utterance, which is spoken again later unless it answered a key. */
  function interrupt(rank: Rank): void {
    if (current === undefined || (current.rank <= rank && rank !== ranks.key)) return
    if (voice?.stop() === true) isAgain = current.rank !== ranks.key
  }

  const running = run()
  running.catch(() => moved.ring()) // wakes move(), which then rejects

  /** Waits for the next ring of `moved`; rejects when the output has failed. */
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
