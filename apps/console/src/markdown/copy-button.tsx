import { useState } from 'react'

const words = { ready: 'Copy code', copied: 'Copied', failed: 'Copying failed' } as const

/** Copies a text, and says so in its own words until it is left. Not there where the page may not copy. */
export function CopyButton({ getText }: { readonly getText: () => string }) {
  const [state, setState] = useState<keyof typeof words>('ready')
  if (!hasClipboard()) return null
  const copy = (): void => {
    navigator.clipboard.writeText(getText()).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  const reset = (): void => setState('ready')
  return (
    <button
      type="button"
      className="md-copy"
      aria-live="off"
      onClick={copy}
      onBlur={reset}
      onPointerLeave={reset}
    >
      {words[state]}
    </button>
  )
}

/** Absent on pages that are neither https nor on this machine. */
const hasClipboard = (): boolean => 'navigator' in globalThis && 'clipboard' in navigator
