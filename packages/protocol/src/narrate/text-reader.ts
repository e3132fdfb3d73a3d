import type { Utterance } from './utterance.ts'

/** Reads a growing text and returns each part once it is complete. */
export interface TextReader {
  push(text: string): readonly Utterance[]
  /**
   * Something else is about to be spoken: returns the available part of an unfinished sentence, to be spoken
   * first.
   */
  interrupt(): readonly Utterance[]
  end(): readonly Utterance[]
}
