import { takeDefinitions } from '../inline/definitions.ts'
import { maxParsedLength } from '../limits.ts'
import type { Block } from './block.ts'
import type { OpenLeaf } from './open-block.ts'
import { addLine, joinPieces, type Pieces } from './pieces.ts'
import { inlineOf, type Work } from './work.ts'

/** The block as it is if no further line follows. Undefined if it holds only link definitions. */
export function closeLeaf(open: OpenLeaf, work: Work): Block | undefined {
  const { key } = open
  switch (open.kind) {
    case 'paragraph':
      return closeParagraph(key, addLine(open.before, open.last.text), work)
    case 'underlined': {
      const source = readSource(open.pieces, work)
      // An underline below definitions alone is text: it has nothing to underline.
      if (source === '') return { kind: 'paragraph', key, inline: inlineOf(open.underline.trim(), work) }
      return closeHeading(open, source, work)
    }
    case 'heading':
      return closeHeading(open, open.text, work)
    case 'rule':
      return { kind: 'rule', key }
    case 'fence':
      return { kind: 'code', key, language: languageOf(open.fence.info), pieces: open.pieces }
    case 'indented':
      return { kind: 'code', key, language: '', pieces: open.pieces }
    case 'text':
      return { kind: 'text', key, pieces: open.pieces }
    case 'table':
      return { kind: 'table', key, head: open.head, aligns: open.aligns, rows: open.rows }
  }
}

/** The paragraph of these lines. Undefined if they hold only definitions. */
export function closeParagraph(key: number, pieces: Pieces, work: Work): Block | undefined {
  if (pieces.length > maxParsedLength) return { kind: 'text', key, pieces }
  const source = readSource(pieces, work)
  return source === '' ? undefined : { kind: 'paragraph', key, inline: inlineOf(source, work) }
}

function closeHeading(
  { key, depth }: Extract<OpenLeaf, { kind: 'heading' | 'underlined' }>,
  source: string,
  work: Work,
): Block {
  work.headings = [...work.headings.filter((outer) => outer < depth), depth]
  return { kind: 'heading', key, depth, level: work.headings.length, inline: inlineOf(source, work) }
}

function readSource(pieces: Pieces, work: Work): string {
  const lines = joinPieces(pieces).replace(/^[ \t]+/gm, '')
  const { definitions, rest } = takeDefinitions(lines, work.definitions)
  work.definitions = definitions
  return rest.trimEnd()
}

/** The first word after a fence, up to the first character that no language name contains. */
function languageOf(info: string): string {
  return /^[\w+#.-]{1,32}/.exec(info)?.[0] ?? ''
}
