import type { Tokens } from 'marked'
import { safeAddress } from '../safe-address.ts'
import { addressBeside } from './address-beside.ts'
import { decodeEntities } from './decode-entities.ts'
import { plainText, type Span } from './span.ts'

/** A link with this label. If its address must not be a link, label and address are text. */
export function toLink(token: Tokens.Link | Tokens.Image, label: readonly Span[]): Span {
  // CommonMark §6.4: references are not resolved in an address that is its own label.
  const isOwnLabel = token.type === 'link' && token.autolink === true
  const address = isOwnLabel ? token.href : decodeEntities(token.href)
  const spans = label.flatMap(withoutLinks)
  const text = plainText(spans)
  const href = safeAddress(address)
  if (href === undefined) {
    return { kind: 'address', spans, address: text === address || isOwnLabel ? undefined : address }
  }
  const title = decodeEntities(token.title ?? '')
  return {
    kind: 'link',
    href,
    spans: text.trim() === '' ? [{ kind: 'text', text: href }] : spans,
    title: title === '' ? undefined : title,
    beside: addressBeside(text, href) ?? addressBeside(title, href),
  }
}

/** A link must not contain another: of an inner one, such as an image, only the label stays. */
function withoutLinks(span: Span): readonly Span[] {
  switch (span.kind) {
    case 'link':
    case 'address':
      return span.spans
    case 'strong':
    case 'emphasis':
    case 'strike':
      return [{ kind: span.kind, spans: span.spans.flatMap(withoutLinks) }]
    case 'text':
    case 'code':
    case 'break':
      return [span]
  }
}
