import type { CodeBlock } from './markdown/code-block.ts'
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
