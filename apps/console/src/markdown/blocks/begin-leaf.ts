import { findFence, findHeading, findHtml, isIndentedCode, isRule } from './block-starts.ts'
import type { OpenLeaf, OpenParagraph, OpenText } from './open-block.ts'
import { addLine, noPieces } from './pieces.ts'
import { dedent, type SourceLine } from './source-line.ts'

export const codeIndent = 4

/** The block without inner blocks that begins with this line, which is not empty. */
export function beginLeaf(line: SourceLine): OpenLeaf {
  const key = line.at
  if (isIndentedCode(line)) {
    const pieces = addLine(noPieces, dedent(line, codeIndent).text)
    return { kind: 'indented', key, pieces, blankLines: 0 }
  }
  const fence = findFence(line)
  if (fence !== undefined) {
    return { kind: 'fence', key, fence, indent: line.indent, pieces: noPieces, isClosed: false }
  }
  const heading = findHeading(line)
  if (heading !== undefined) return { kind: 'heading', key, ...heading }
  if (isRule(line)) return { kind: 'rule', key }
  const html = findHtml(line)
  return html === undefined ? beginParagraph(line) : beginText(line, html.end ?? 'empty line')
}

export function beginParagraph({ at, text }: SourceLine): OpenParagraph {
  return { kind: 'paragraph', key: at, before: noPieces, last: { at, text } }
}

/** Text that is shown as it is, up to the line that `end` describes. */
export function beginText({ at, text }: SourceLine, end: OpenText['end']): OpenText {
  const isClosed = end instanceof RegExp && end.test(text)
  return { kind: 'text', key: at, pieces: addLine(noPieces, text), end, isClosed }
}
