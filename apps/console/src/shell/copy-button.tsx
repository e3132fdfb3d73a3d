import { useState } from 'react'

interface CopyButtonProps {
  /** Called when the button is pressed. */
  readonly getText: () => string
  readonly label: string
  readonly className?: string
}

/** Copies a text, and shows the outcome until focus or pointer leave. Absent where the page may not copy. */
export function CopyButton({ getText, label, className = 'button button-small' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<string>()
  if (!hasClipboard()) return null
  const copy = (): void => {
    navigator.clipboard.writeText(getText()).then(
      () => setOutcome('Copied'),
      () => setOutcome('Copying failed'),
    )
  }
  const reset = (): void => setOutcome(undefined)
  return (
    <button
      type="button"
      className={className}
      aria-live="off"
      onClick={copy}
      onBlur={reset}
      onPointerLeave={reset}
    >
      {outcome ?? label}
    </button>
  )
}

/** Absent on pages that are neither https nor on this machine. */
const hasClipboard = (): boolean => 'navigator' in globalThis && 'clipboard' in navigator
