import { omitUndefined } from '@sluice/protocol'
import { createContext, useContext } from 'react'
import type { Block, Inline, ListItem } from './blocks/block.ts'
import type { Pages } from './blocks/pages.ts'
import { CodeBlock } from './code-block.tsx'
import { createPagesView } from './create-pages-view.tsx'
import { InlineText } from './inline-text.tsx'
import { Table } from './table.tsx'
import { TextPieces } from './text-pieces.tsx'

/** The level of the page heading above a text. */
export const OuterLevel = createContext(2)
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

const BlockPages = createPagesView(BlockView)
const ItemPages = createPagesView(ItemView)

/** Shows blocks one below the other. */
export function Blocks({ pages }: { readonly pages: Pages<Block> }) {
  return <BlockPages pages={pages} />
}

function BlockView({ value: block }: { readonly value: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p dir="auto">
          <InlineText inline={block.inline} />
        </p>
      )
    case 'heading':
      return <Heading level={block.level} inline={block.inline} />
    case 'rule':
      return <hr />
    case 'code':
      return <CodeBlock language={block.language} pieces={block.pieces} />
    case 'text':
      return (
        <p className="md-literal" dir="auto">
          <TextPieces pieces={block.pieces} />
        </p>
      )
    case 'quote':
      return (
        <blockquote dir="auto">
          <Blocks pages={block.blocks} />
        </blockquote>
      )
    case 'list':
      return <List start={block.start} items={block.items} />
    case 'table':
      return <Table head={block.head} aligns={block.aligns} rows={block.rows} />
  }
}

function Heading({ level, inline }: { readonly level: number; readonly inline: Inline }) {
  const Heading = headings[useContext(OuterLevel) + level - 1] ?? 'h6'
  return (
    <Heading dir="auto">
      <InlineText inline={inline} />
    </Heading>
  )
}

interface ListProps {
  readonly start: number | undefined
  readonly items: Pages<ListItem>
}

function List({ start, items }: ListProps) {
  const List = start === undefined ? 'ul' : 'ol'
  return (
    <List dir="auto" {...omitUndefined({ start: start === 1 ? undefined : start })}>
      <ItemPages pages={items} />
    </List>
  )
}

/** The text of an item is always a paragraph, so that a later empty line changes no element. */
function ItemView({ value: { isDone, blocks } }: { readonly value: ListItem }) {
  if (isDone === undefined) {
    return (
      <li dir="auto">
        <Blocks pages={blocks} />
      </li>
    )
  }
  return (
    <li className="md-task" dir="auto">
      <span className="md-mark" aria-hidden="true">
        {isDone ? '☑' : '☐'}
      </span>
      <span className="md-hidden" lang="en">
        {isDone ? 'done: ' : 'not done: '}
      </span>
      <Blocks pages={blocks} />
    </li>
  )
}
