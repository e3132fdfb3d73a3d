import type { KeyboardEvent } from 'react'

/** In a field of several lines: Ctrl or Command with Enter submits its form; Enter alone is a line break. */
export function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
