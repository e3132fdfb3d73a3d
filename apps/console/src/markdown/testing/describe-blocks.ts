import type { Block, Inline, ListItem } from '../blocks/block.ts'
import type { Pages } from '../blocks/pages.ts'
import { joinPieces } from '../blocks/pieces.ts'
import { plainText } from '../inline/span.ts'

/** Blocks on one line: `h1(Title) p(text) ul(li(p(a)) li(p(b)))`. */
export function describeBlocks(pages: Pages<Block>): string {
  return pages.flat().map(describeBlock).join(' ')
}

function describeBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return `p(${describeInline(block.inline)})`
    case 'heading':
      return `h${block.depth}(${describeInline(block.inline)})`
    case 'rule':
      return 'hr'
    case 'code':
      return `code${block.language}(${oneLine(joinPieces(block.pieces))})`
    case 'text':
      return `text(${oneLine(joinPieces(block.pieces))})`
    case 'quote':
      return `quote(${describeBlocks(block.blocks)})`
    case 'list':
      return `${block.start === undefined ? 'ul' : `ol${block.start}`}(${block.items.flat().map(describeItem).join(' ')})`
    case 'table': {
      const rows = [block.head, ...block.rows.flat().map(({ cells }) => cells)]
      return `table(${rows.map((cells) => cells.map(describeInline).join('|')).join(' / ')})`
    }
  }
}

function describeItem({ isDone, blocks }: ListItem): string {
  const mark = isDone === undefined ? '' : isDone ? '[x]' : '[ ]'
  return `li${mark}(${describeBlocks(blocks)})`
}

const describeInline = (inline: Inline): string =>
  oneLine(typeof inline === 'string' ? inline : plainText(inline))

const oneLine = (text: string): string => text.replaceAll('\n', '⏎')
