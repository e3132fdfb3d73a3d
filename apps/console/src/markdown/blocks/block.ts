import type { Span } from '../inline/span.ts'
import type { Pages } from './pages.ts'
import type { Pieces } from './pieces.ts'

/** The inside of a paragraph, a heading or a cell. A string was not looked at for Markdown. */
export type Inline = readonly Span[] | string

export type Align = 'start' | 'center' | 'end' | undefined

export interface ListItem {
  readonly key: number
  /** Whether the item is a task, and done. */
  readonly isDone: boolean | undefined
  readonly blocks: Pages<Block>
}

export interface TableRow {
  readonly key: number
  /** One for each column, or a single one that stands for all of them. */
  readonly cells: readonly Inline[]
  readonly aligns: readonly Align[]
}

/** What a text is made of. Keys are places in the text: they stay while the text grows. */
export type Block =
  | { readonly kind: 'paragraph'; readonly key: number; readonly inline: Inline }
  | {
      readonly kind: 'heading'
      readonly key: number
      /** As it was written, from 1 to 6. */
      readonly depth: number
      /** How many headings it stands below, and itself: no level is left out, whatever was written. */
      readonly level: number
      readonly inline: Inline
    }
  | { readonly kind: 'rule'; readonly key: number }
  | { readonly kind: 'code'; readonly key: number; readonly language: string; readonly pieces: Pieces }
  /** Shown as it is: HTML, and what is beyond a limit. */
  | { readonly kind: 'text'; readonly key: number; readonly pieces: Pieces }
  | { readonly kind: 'quote'; readonly key: number; readonly blocks: Pages<Block> }
  | {
      readonly kind: 'list'
      readonly key: number
      /** The first number of an ordered list. */
      readonly start: number | undefined
      readonly items: Pages<ListItem>
    }
  | {
      readonly kind: 'table'
      readonly key: number
      readonly head: readonly Inline[]
      readonly aligns: readonly Align[]
      readonly rows: Pages<TableRow>
    }
