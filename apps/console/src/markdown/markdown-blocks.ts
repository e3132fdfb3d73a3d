import type { Block } from './blocks/block.ts'
import { isHeldBack } from './blocks/held-line.ts'
import { closeLevel, step } from './blocks/level.ts'
import type { Level } from './blocks/open-block.ts'
import type { Pages } from './blocks/pages.ts'
import { toLine } from './blocks/source-line.ts'
import type { ReadInline, Work } from './blocks/work.ts'
import { type Definitions, noDefinitions } from './inline/definitions.ts'
import { lexInline } from './inline/lex-inline.ts'
import { createRecent, type Recent } from './inline/recent.ts'

/** What was read of a text so far. */
export interface Reading {
  readonly text: string
  readonly isOpen: boolean
  /** All blocks of the text. Those that ended before the last line stay the same objects as it grows. */
  readonly blocks: Pages<Block>
  /** Where the last line begins; `level` holds the lines before it. */
  readonly lineStart: number
  readonly level: Level
  readonly definitions: Definitions
  readonly count: number
  readonly headings: readonly number[]
  readonly recent: Recent
}

export const nothingRead: Reading = {
  text: '',
  isOpen: true,
  blocks: [],
  lineStart: 0,
  level: { depth: 0, blocks: [], open: undefined },
  definitions: noDefinitions,
  count: 0,
  headings: [],
  recent: new Map(),
}

export interface ReadBlocksOptions {
  /** Whether more text may follow. */
  readonly isOpen: boolean
  readonly readInline?: ReadInline
}

/**
 * Continues from `before` if `text` extends what was read; otherwise reads the whole text.
 *
 * The result depends only on `text` and `isOpen`, not on the steps. A step reads the added text and, again,
 * only the last line and the open paragraph or cell. Never throws.
 */
export function readBlocks(
  before: Reading,
  text: string,
  { isOpen, readInline = lexInline }: ReadBlocksOptions,
): Reading {
  // Comparing whole strings compares memory: fifteen times as fast as startsWith().
  const from = text.slice(0, before.text.length) === before.text ? before : nothingRead
  if (from.text === text && from.isOpen === isOpen) return from

  const recent = createRecent(from.recent, readInline)
  const work: Work = {
    definitions: from.definitions,
    count: from.count,
    headings: from.headings,
    readInline: recent.take,
  }
  let { level, lineStart } = from
  for (let end = text.indexOf('\n', from.text.length); end >= 0; end = text.indexOf('\n', lineStart)) {
    const isCrLf = end > lineStart && text.charCodeAt(end - 1) === 0x0d
    level = step(level, toLine(text.slice(lineStart, isCrLf ? end - 1 : end), lineStart), work)
    lineStart = end + 1
  }

  // The meaning of a line is known only at its end. Until then it is a guess that the next step discards.
  const guess: Work = { ...work, readInline: recent.keep }
  const last = text.slice(lineStart)
  const isHeld = last === '' || (isOpen && isHeldBack(last, level))
  const blocks = closeLevel(isHeld ? level : step(level, toLine(last, lineStart), guess), guess)
  const { definitions, count, headings } = work
  return { text, isOpen, blocks, lineStart, level, definitions, count, headings, recent: recent.kept }
}
