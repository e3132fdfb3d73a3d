import type { OpenQuestion } from './questions/open-question.ts'

/** One line for the ear. */
export interface Utterance {
  readonly text: string
  /** The language of the text where it is known, BCP 47. */
  readonly language?: string
  /** Does not wait for what was to be told before it. */
  readonly isCritical?: true
  /** Is told also by who skips to the end. */
  readonly isKept?: true
  /** What the text is about, where it must be told anew with the time that is left. */
  readonly question?: OpenQuestion
  /** The block that the text announces and does not read. */
  readonly code?: CodeBlock
}

/** A block that is announced, and read only when somebody asks for it. */
export interface CodeBlock {
  /** At most `maxKeptLines` of them. */
  readonly lines: readonly string[]
  readonly lineCount: number
  /** As the fence names it; may be empty. */
  readonly info: string
  readonly isFinished: boolean
}
