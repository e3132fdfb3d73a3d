import { maxBlocks, maxDepth } from '../limits.ts'
import { beginLeaf, beginParagraph, beginText } from './begin-leaf.ts'
import type { Block, ListItem } from './block.ts'
import { endsContainer, findListStart, isQuote, isRule, type ListStart } from './block-starts.ts'
import { closeLeaf } from './close-leaf.ts'
import { type Grown, growLeaf } from './grow-leaf.ts'
import type { Level, OpenBlock, OpenItem, OpenList, OpenQuote } from './open-block.ts'
import { addToPages, type Pages } from './pages.ts'
import { dedent, isBlank, type SourceLine, toLine } from './source-line.ts'
import type { Work } from './work.ts'

/** The level with one more line. */
export function step(level: Level, line: SourceLine, work: Work): Level {
  // Written out here and in growLeaf(): spreading objects of many shapes takes a microsecond per line.
  const { depth, blocks, open } = level
  const grown = open && grow(open, line, work)
  if (grown === undefined) return { depth, blocks: closeLevel(level, work), open: begin(line, depth, work) }
  return { depth, blocks: addBlock(blocks, grown.done, work), open: grown.open }
}

/** The blocks of a level as they are if no further line follows. */
export function closeLevel({ blocks, open }: Level, work: Work): Pages<Block> {
  return addBlock(blocks, open && close(open, work), work)
}

function addBlock(blocks: Pages<Block>, block: Block | undefined, work: Work): Pages<Block> {
  if (block === undefined) return blocks
  work.count += 1
  return addToPages(blocks, block)
}

function begin(line: SourceLine, depth: number, work: Work): OpenBlock | undefined {
  if (isBlank(line)) return undefined
  if (work.count >= maxBlocks) return beginText(line, 'never')
  if (depth === maxDepth || isRule(line)) return beginLeaf(line)
  if (isQuote(line)) {
    const level = step(emptyLevel(depth + 1), unquote(line), work)
    return { kind: 'quote', key: line.at, level }
  }
  const list = findListStart(line)
  if (list === undefined) return beginLeaf(line)
  const { bullet, start } = list
  return { kind: 'list', key: line.at, bullet, start, items: [], item: beginItem(list, depth + 1, work) }
}

const emptyLevel = (depth: number): Level => ({ depth, blocks: [], open: undefined })

function beginItem({ indent, rest }: ListStart, depth: number, work: Work): OpenItem {
  const level = emptyLevel(depth)
  const task = /^\[([ xX])\][ \t]+(?=\S)/.exec(rest.mark)
  if (task === null || rest.indent > 0) {
    return { key: rest.at, isDone: undefined, indent, level: step(level, rest, work), isOver: false }
  }
  const open = beginParagraph(toLine(rest.text.slice(task[0].length), rest.at))
  return { key: rest.at, isDone: task[1] !== ' ', indent, level: { ...level, open }, isOver: false }
}

function grow(open: OpenBlock, line: SourceLine, work: Work): Grown | undefined {
  if (open.kind === 'quote') return growQuote(open, line, work)
  return open.kind === 'list' ? growList(open, line, work) : growLeaf(open, line, work)
}

function growQuote(open: OpenQuote, line: SourceLine, work: Work): Grown | undefined {
  const inner = !line.isLazy && isQuote(line) ? unquote(line) : toLazy(open.level, line)
  return inner && { open: { ...open, level: step(open.level, inner, work) } }
}

function growList(open: OpenList, line: SourceLine, work: Work): Grown | undefined {
  const { item } = open
  const isInside = !line.isLazy && (isBlank(line) || (line.indent >= item.indent && !item.isOver))
  const sibling = isInside || line.isLazy ? undefined : findListStart(line)
  if (sibling !== undefined) {
    if (sibling.bullet !== open.bullet || work.count >= maxBlocks) return undefined
    const items = addToPages(open.items, closeItem(item, work))
    return { open: { ...open, items, item: beginItem(sibling, item.level.depth, work) } }
  }
  const inner = isInside ? dedent(line, item.indent) : toLazy(item.level, line)
  if (inner === undefined) return undefined
  const isOver = item.isOver || (isBlank(line) && isEmpty(item.level))
  return { open: { ...open, item: { ...item, level: step(item.level, inner, work), isOver } } }
}

/** The line as a lazy continuation of the paragraph that is open inside; undefined if it is not one. */
function toLazy(level: Level, line: SourceLine): SourceLine | undefined {
  if (line.isLazy) return line
  return isBlank(line) || !isParagraphOpen(level) || endsContainer(line)
    ? undefined
    : { ...line, isLazy: true }
}

function isParagraphOpen({ open }: Level): boolean {
  if (open?.kind === 'quote') return isParagraphOpen(open.level)
  return open?.kind === 'list' ? isParagraphOpen(open.item.level) : open?.kind === 'paragraph'
}

const isEmpty = ({ blocks, open }: Level): boolean => blocks.length === 0 && open === undefined

/** The rest of a line after a quote mark and one space. */
function unquote(line: SourceLine): SourceLine {
  const column = line.indent + 1
  return dedent(toLine(line.text.slice(column), line.at, column), 1)
}

function close(open: OpenBlock, work: Work): Block | undefined {
  if (open.kind === 'quote') return { kind: 'quote', key: open.key, blocks: closeLevel(open.level, work) }
  if (open.kind !== 'list') return closeLeaf(open, work)
  const items = addToPages(open.items, closeItem(open.item, work))
  return { kind: 'list', key: open.key, start: open.start, items }
}

function closeItem({ key, isDone, level }: OpenItem, work: Work): ListItem {
  work.count += 1
  return { key, isDone, blocks: closeLevel(level, work) }
}
