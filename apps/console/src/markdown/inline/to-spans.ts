import type { MarkedToken, Tokens } from 'marked'
import { decodeEntities } from './decode-entities.ts'
import { plainText, type Span } from './span.ts'
import { toLink } from './to-link.ts'

/** Converts the inline tokens of marked to spans. HTML and tokens of blocks become their source text. */
export function toSpans(tokens: readonly MarkedToken[]): readonly Span[] {
  const spans: Span[] = []
  for (const token of tokens) {
    const span = toSpan(token)
    const last = spans.at(-1)
    if (span.kind === 'text' && last?.kind === 'text') {
      spans[spans.length - 1] = { kind: 'text', text: last.text + span.text }
    } else spans.push(span)
  }
  return spans
}

function toSpan(token: MarkedToken): Span {
  switch (token.type) {
    case 'text':
      return { kind: 'text', text: token.escaped === true ? token.text : decodeEntities(token.text) }
    case 'escape':
      return { kind: 'text', text: token.text }
    case 'codespan':
      return { kind: 'code', text: token.text }
    case 'br':
      return { kind: 'break' }
    case 'strong':
      return { kind: 'strong', spans: inside(token) }
    case 'em':
      return { kind: 'emphasis', spans: inside(token) }
    case 'del':
      return { kind: 'strike', spans: inside(token) }
    case 'link':
      return toLink(token, token.autolink === true ? [{ kind: 'text', text: token.text }] : inside(token))
    case 'image':
      return toLink(token, [{ kind: 'text', text: `Image: ${plainText(inside(token)) || 'no description'}` }])
    case 'html':
    case 'blockquote':
    case 'checkbox':
    case 'code':
    case 'def':
    case 'heading':
    case 'hr':
    case 'list':
    case 'list_item':
    case 'paragraph':
    case 'space':
    case 'table':
      return { kind: 'text', text: token.raw }
  }
}

// There are no extensions, so there are no tokens of other kinds.
const inside = ({ tokens }: Pick<Tokens.Link, 'tokens'>): readonly Span[] => toSpans(tokens as MarkedToken[])
