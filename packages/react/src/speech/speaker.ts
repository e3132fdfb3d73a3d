import { createToldQueue, type Rank, ranks, type Utterance, type Waiting } from '@sluice/protocol/narrate'
import type { Speech, SpeechOutcome, Voice } from './voice.ts'

/** Speaks one utterance after the other. */
export interface Speaker {
  /** A critical utterance interrupts one that is not, which is then spoken again after it. */
  say(utterance: Utterance, rank: Rank): void
  /** Stops the current utterance for good. */
  breakOff(): void
  /** Drops utterances that are not critical and need not be kept. Returns how many of them were waiting. */
  skip(): number
  /** The number of waiting utterances. */
  readonly waiting: number
  /** The last utterance that was started, except for answers to keys. */
  readonly last: Utterance | undefined
  /** Drops everything and stops speaking. */
  clear(): void
  /** Stops speaking for good, and returns the utterances that were not spoken to the end. */
  close(): readonly Utterance[]
}

export interface SpeakerParts {
  readonly voice: Voice
  /** The speech for an utterance at this moment. */
  toSpeech(utterance: Utterance): Speech
  /** Called after each utterance. */
  onMove(): void
  /** Called once if the voice cannot speak, with everything that was not spoken. */
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

  /** Stops a less urgent utterance, which is spoken again later unless it answered a key. */
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
