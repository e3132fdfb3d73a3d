import { memo, type ReactNode } from 'react'
import type { Inline } from './blocks/block.ts'
import { showAddress } from './inline/show-address.ts'
import type { Span } from './inline/span.ts'

/** Shows running text. Memoised, so that unchanged text is not rendered again. */
export const InlineText = memo(function InlineText({ inline }: { readonly inline: Inline }) {
  return typeof inline === 'string' ? <span className="md-literal">{inline}</span> : showSpans(inline)
})

// Spans have no stable key, but they change only at the end of a growing text.
const showSpans = (spans: readonly Span[]): readonly ReactNode[] => spans.map(showSpan)

function showSpan(span: Span, key: number): ReactNode {
  switch (span.kind) {
    case 'text':
      return span.text
    case 'code':
      return (
        <code key={key} className="md-code-text">
          {span.text}
        </code>
      )
    case 'break':
      return <br key={key} />
    case 'strong':
      return <strong key={key}>{showSpans(span.spans)}</strong>
    case 'emphasis':
      return <em key={key}>{showSpans(span.spans)}</em>
    case 'strike':
      return <del key={key}>{showSpans(span.spans)}</del>
    case 'link':
      return <Link key={key} span={span} />
    case 'address':
      return (
        <span key={key}>
          <bdi>{showSpans(span.spans)}</bdi>
          {span.address !== undefined && <Beside address={span.address} />}
        </span>
      )
  }
}

function Link({ span: { href, title, spans, beside } }: { readonly span: Extract<Span, { kind: 'link' }> }) {
  return (
    <>
      <a href={href} title={title} rel="noopener noreferrer nofollow" target="_blank">
        <bdi>{showSpans(spans)}</bdi>
        <span className="md-hidden" lang="en">
          {' (opens in a new tab)'}
        </span>
      </a>
      {beside !== undefined && <Beside address={beside} />}
    </>
  )
}

/** An address in the order of its characters, whatever text is around it. */
function Beside({ address }: { readonly address: string }) {
  return (
    <>
      {' '}
      <bdi className="md-address" dir="ltr">
        ({showAddress(address)})
      </bdi>
    </>
  )
}
