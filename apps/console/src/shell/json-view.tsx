import { useMemo } from 'react'
import { CopyButton } from './copy-button.tsx'

interface JsonViewProps {
  readonly label: string
  /** A JSON value, or JSON text. */
  readonly value: unknown
}

/** The rest is not drawn, but can be copied. */
const maxShown = 100_000

/** JSON for people to read: indented, scrollable, and plain text. */
export function JsonView({ label, value }: JsonViewProps) {
  const text = useMemo(() => formatJson(value), [value])
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}\n…` : text
  return (
    <figure className="json">
      <figcaption>
        {label}
        <CopyButton getText={() => text} label="Copy" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling must work by keyboard. */}
      {/* biome-ignore lint/a11y/useSemanticElements: fieldsets are for forms; sections do not repeat. */}
      <div className="json-text" tabIndex={0} role="group" aria-label={label} dir="ltr">
        <pre>{shown}</pre>
      </div>
    </figure>
  )
}

function formatJson(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? String(value)
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}
