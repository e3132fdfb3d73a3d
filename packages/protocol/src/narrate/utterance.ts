import type { OpenQuestion } from './questions/open-question.ts'

/** One line for the ear. */
export interface Utterance {
  readonly text: string
  /** The language of the text if known, BCP 47. */
  readonly language?: string
  /** Does not wait for the utterances before it. */
  readonly isCritical?: true
  /** Spoken even if the listener skips to the end. */
  readonly isKept?: true
  /** The question in the text; the time left is added each time it is spoken. */
  readonly question?: OpenQuestion
  /** The block that the text announces but does not read. */
  readonly code?: CodeBlock
}

/** A block that is announced, and read only on request. */
export interface CodeBlock {
  /** At most `maxKeptLines`. */
  readonly lines: readonly string[]
  readonly lineCount: number
  /** The fence's info string; may be empty. */
  readonly info: string
  readonly isFinished: boolean
}
