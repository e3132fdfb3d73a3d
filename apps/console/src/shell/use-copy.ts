import { useEffect, useState } from 'react'

const shownMs = 2000

/** Copies a text; `isCopied` for a moment afterwards. `copy` is undefined where the page may not. */
export function useCopy(text: string): {
  readonly isCopied: boolean
  readonly copy: (() => void) | undefined
} {
  const [copied, setCopied] = useState<string>()
  useEffect(() => {
    if (copied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  // Absent on pages that are neither https nor on this machine.
  const clipboard: Clipboard | undefined = navigator.clipboard
  const copy = (): void => {
    clipboard.writeText(text).then(
      () => setCopied(text),
      () => setCopied(undefined),
    )
  }
  return { isCopied: copied === text, copy: clipboard === undefined ? undefined : copy }
}
