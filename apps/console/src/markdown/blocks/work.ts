import type { Definitions } from '../inline/definitions.ts'
import type { Inline } from './block.ts'

/** How running text is read: Markdown of one paragraph, heading or cell, with the definitions before it. */
export type ReadInline = (source: string, definitions: Definitions) => Inline

/** What reading a text adds to besides its blocks, in the order of the text. */
export interface Work {
  definitions: Definitions
  /** Blocks, list items and table rows so far. */
  count: number
  /** The depths of the headings that the next block stands below, the outermost first. */
  headings: readonly number[]
  readonly readInline: ReadInline
}

export const inlineOf = (source: string, work: Work): Inline => work.readInline(source, work.definitions)
