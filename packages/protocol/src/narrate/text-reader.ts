import type { Utterance } from './utterance.ts'

/** Reads a text that grows, and tells each part of it when it is complete. */
export interface TextReader {
  push(text: string): readonly Utterance[]
  /** Something else is to be told: what is there of an unfinished sentence is told before it. */
  interrupt(): readonly Utterance[]
  end(): readonly Utterance[]
}
