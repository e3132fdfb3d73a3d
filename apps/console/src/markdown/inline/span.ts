/** A piece of running text. */
export type Span =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'strike'; readonly spans: readonly Span[] }
  | {
      readonly kind: 'link'
      /** A checked address: https, http or mailto. */
      readonly href: string
      readonly spans: readonly Span[]
      readonly title: string | undefined
      /** The target of a link that may mislead. */
      readonly beside: string | undefined
    }
  /** A label and an address that must not be a link. */
  | { readonly kind: 'address'; readonly spans: readonly Span[]; readonly address: string | undefined }

/** The text of spans, without formatting. */
export function plainText(spans: readonly Span[]): string {
  return spans.map(textOf).join('')
}

function textOf(span: Span): string {
  switch (span.kind) {
    case 'text':
    case 'code':
      return span.text
    case 'break':
      return '\n'
    case 'strong':
    case 'emphasis':
    case 'strike':
    case 'link':
    case 'address':
      return plainText(span.spans)
  }
}
