import { createToldQueue, type Rank, ranks, type Utterance, type Waiting } from '@sluice/protocol/narrate'
import type { Speech, SpeechOutcome, Voice } from './voice.ts'

/** Has one utterance spoken after the other. */
export interface Speaker {
  /** What is critical breaks off what is not, and that is spoken again behind it. */
  say(utterance: Utterance, rank: Rank): void
  /** Breaks off what is being spoken, for good. */
  breakOff(): void
  /** Drops what neither is critical nor must be kept, and answers how much of it waited. */
  skip(): number
  /** How many utterances wait. */
  readonly waiting: number
  /** The last one that was begun, but for answers to keys. */
  readonly last: Utterance | undefined
  /** Drops everything, and falls silent. */
  clear(): void
  /** Falls silent for ever, and answers what was not spoken to its end. */
  close(): readonly Utterance[]
}

export interface SpeakerParts {
  readonly voice: Voice
  /** What is to be said of an utterance at this moment. */
  toSpeech(utterance: Utterance): Speech
  /** One more was spoken. */
  onMove(): void
  /** The voice cannot speak. Called once, with all that was not spoken. */
  onFailure(left: readonly Utterance[]): void
}

export function createSpeaker({ voice, toSpeech, onMove, onFailure }: SpeakerParts): Speaker {
  const queue = createToldQueue()
  let current: Waiting | undefined
  let isAgain = false
  let isClosed = false
  let last: Utterance | undefined

  function speakNext(): void {
    if (isClosed || current !== undefined) return
    const next = queue.take(ranks.session)
    if (next === undefined) return
    current = next
    if (next.rank !== ranks.key) last = next.utterance
    void voice.speak(toSpeech(next.utterance)).then((outcome) => finish(next, outcome))
  }

  function finish(spoken: Waiting, outcome: SpeechOutcome): void {
    if (isClosed) return
    if (outcome === 'failed') {
      onFailure(close())
      return
    }
    current = undefined
    if (isAgain) queue.putBack(spoken)
    isAgain = false
    onMove()
    speakNext()
  }

  /** What is less urgent is broken off, and spoken again later unless a key had asked for it. */
  function interrupt(rank: Rank): void {
    if (current === undefined || (current.rank <= rank && rank !== ranks.key)) return
    if (voice.stop()) isAgain = current.rank !== ranks.key
  }

  function breakOff(): void {
    isAgain = false
    voice.stop()
  }

  function close(): readonly Utterance[] {
    isClosed = true
    const left = current === undefined ? [] : [current]
    for (let next = queue.take(ranks.session); next !== undefined; next = queue.take(ranks.session))
      left.push(next)
    current = undefined
    voice.stop()
    return left.map(({ utterance }) => utterance)
  }

  return {
    say(utterance, rank) {
      if (isClosed) return
      queue.add(utterance, rank)
      if (rank <= ranks.critical) interrupt(rank)
      speakNext()
    },
    breakOff,
    skip() {
      if (current !== undefined && current.rank > ranks.critical) breakOff()
      return queue.skip()
    },
    get waiting() {
      return queue.length
    },
    get last() {
      return last
    },
    clear() {
      queue.clear()
      breakOff()
    },
    close,
  }
}
