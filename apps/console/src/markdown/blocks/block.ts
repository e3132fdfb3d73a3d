import type { Span } from '../inline/span.ts'
import type { Pages } from './pages.ts'
import type { Pieces } from './pieces.ts'

/** The content of a paragraph, a heading or a cell. A string was not parsed as Markdown. */
export type Inline = readonly Span[] | string

export type Align = 'start' | 'center' | 'end' | undefined

export interface ListItem {
  readonly key: number
  /** Whether a task is done; undefined if the item is not a task. */
  readonly isDone: boolean | undefined
  readonly blocks: Pages<Block>
}

export interface TableRow {
  readonly key: number
  /** One cell per column, or a single cell for all columns. */
  readonly cells: readonly Inline[]
  readonly aligns: readonly Align[]
}

/** A block of a text. Keys are offsets in the text, so they stay the same while it grows. */
export type Block =
  | { readonly kind: 'paragraph'; readonly key: number; readonly inline: Inline }
  | {
      readonly kind: 'heading'
      readonly key: number
      /** As written, from 1 to 6. */
      readonly depth: number
      /** Its depth in the outline of headings: no level is skipped, whatever was written. */
      readonly level: number
      readonly inline: Inline
    }
  | { readonly kind: 'rule'; readonly key: number }
  | { readonly kind: 'code'; readonly key: number; readonly language: string; readonly pieces: Pieces }
  /** Shown as it is: HTML, and anything beyond a limit. */
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
