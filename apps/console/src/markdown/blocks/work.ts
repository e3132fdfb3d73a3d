import type { Definitions } from '../inline/definitions.ts'
import type { Inline } from './block.ts'

/** Reads running text: the Markdown of one paragraph, heading or cell, with the definitions before it. */
export type ReadInline = (source: string, definitions: Definitions) => Inline

/** What reading a text collects besides blocks, in the order of the text. */
export interface Work {
  definitions: Definitions
  /** Blocks, list items and table rows so far. */
  count: number
  /** The depths of the headings above the next block, the outermost first. */
  headings: readonly number[]
  readonly readInline: ReadInline
}

export const inlineOf = (source: string, work: Work): Inline => work.readInline(source, work.definitions)
