import { Lexer, type MarkedToken } from 'marked'
import type { Inline } from '../blocks/block.ts'
import { maxDepth, maxParsedLength } from '../limits.ts'
import type { Definitions } from './definitions.ts'
import { inlineWork, maxInlineWork } from './inline-work.ts'
import type { Span } from './span.ts'
import { toSpans } from './to-spans.ts'

/** The cost of starting the lexer, whatever the line holds. */
const startWork = 4000

/**
 * Parses running text. Text that is too long is returned as it is; text that takes too much work as a whole
 * is parsed line by line, and lines that still take too much become plain text. Never throws.
 */
export function lexInline(source: string, definitions: Definitions): Inline {
  if (source.length > maxParsedLength) return source
  const work = inlineWork(source)
  if (work <= maxInlineWork) return lexRun(source, work, definitions)
  let left = maxInlineWork
  return source.split(/(?<=\n)/).flatMap((line) => {
    const lineWork = inlineWork(line)
    if (lineWork === 0 || lineWork + startWork > left) return [{ kind: 'text', text: line }]
    left -= lineWork + startWork
    return lexRun(line, lineWork, definitions)
  })
}

function lexRun(source: string, work: number, definitions: Definitions): readonly Span[] {
  if (work === 0) return source === '' ? [] : [{ kind: 'text', text: source }]
  try {
    // There are no extensions, so there are no tokens of other kinds.
    return toSpans(createLexer(definitions).inlineTokens(source) as readonly MarkedToken[])
  } catch {
    return [{ kind: 'text', text: source }]
  }
}

/** A lexer that treats anything nested too deep as text. */
function createLexer(definitions: Definitions): Lexer {
  const lexer = new Lexer({ gfm: true })
  lexer.tokens.links = definitions
  const lex = lexer.inlineTokens.bind(lexer)
  let depth = 0
  lexer.inlineTokens = (text, tokens = []) => {
    if (depth === maxDepth) return [...tokens, { type: 'text', raw: text, text }]
    depth += 1
    const inner = lex(text, tokens)
    depth -= 1
    return inner
  }
  return lexer
}
