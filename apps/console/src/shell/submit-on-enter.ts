import type { KeyboardEvent } from 'react'

/** In a multi-line field, Ctrl or Command with Enter submits the form; Enter alone breaks the line. */
export function submitOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
