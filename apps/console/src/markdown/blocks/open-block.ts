import type { Align, Block, Inline, ListItem, TableRow } from './block.ts'
import type { Fence } from './block-starts.ts'
import type { Pages } from './pages.ts'
import type { Pieces } from './pieces.ts'

/** Blocks one below the other: of the whole text, of a quote, of a list item. Only the last can be open. */
export interface Level {
  readonly depth: number
  readonly blocks: Pages<Block>
  readonly open: OpenBlock | undefined
}

/** A paragraph. Its last line is kept apart because the next line may make it the head of a table. */
export interface OpenParagraph {
  readonly kind: 'paragraph'
  readonly key: number
  readonly before: Pieces
  readonly last: { readonly at: number; readonly text: string }
}

/** A complete block: no line continues it. */
export type OpenLine =
  | { readonly kind: 'heading'; readonly key: number; readonly depth: number; readonly text: string }
  | {
      readonly kind: 'underlined'
      readonly key: number
      readonly depth: number
      readonly pieces: Pieces
      readonly underline: string
    }
  | { readonly kind: 'rule'; readonly key: number }

export interface OpenFence {
  readonly kind: 'fence'
  readonly key: number
  readonly fence: Fence
  readonly indent: number
  readonly pieces: Pieces
  readonly isClosed: boolean
}

/** Indented code. Empty lines belong to it only if code follows them. */
export interface OpenIndented {
  readonly kind: 'indented'
  readonly key: number
  readonly pieces: Pieces
  readonly blankLines: number
}

/** HTML, or everything after the last block that a text may have. */
export interface OpenText {
  readonly kind: 'text'
  readonly key: number
  readonly pieces: Pieces
  readonly end: RegExp | 'empty line' | 'never'
  readonly isClosed: boolean
}

export interface OpenTable {
  readonly kind: 'table'
  readonly key: number
  readonly head: readonly Inline[]
  readonly aligns: readonly Align[]
  readonly rows: Pages<TableRow>
}

export interface OpenQuote {
  readonly kind: 'quote'
  readonly key: number
  readonly level: Level
}

export interface OpenItem {
  readonly key: number
  readonly isDone: boolean | undefined
  /** How many columns a line of the item is indented by. */
  readonly indent: number
  readonly level: Level
  /** Whether it began with two empty lines: then no line continues it (CommonMark §5.2). */
  readonly isOver: boolean
}

export interface OpenList {
  readonly kind: 'list'
  readonly key: number
  readonly bullet: string
  readonly start: number | undefined
  readonly items: Pages<ListItem>
  readonly item: OpenItem
}

export type OpenLeaf = OpenParagraph | OpenLine | OpenFence | OpenIndented | OpenText | OpenTable
export type OpenBlock = OpenLeaf | OpenQuote | OpenList
