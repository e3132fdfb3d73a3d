import { useEffect, useRef } from 'react'
import { useSettings } from '../settings/settings-context.tsx'

/** Every single key of the console and its action. */
export const shortcuts = [
  ['/', 'Search the sessions'],
  ['q', 'Go to the open question'],
  ['y / n / 1–9', 'Inside a question: accept, reject, choose'],
  ['r', 'Repeat what was announced last'],
  ['s', 'Skip what waits to be spoken'],
  ['w', 'Say where the session stands'],
  ['l', 'Back to now, or to the newest entry'],
  ['?', 'Show these keys'],
] as const

/** Calls `run` when this key is pressed alone, outside fields and dialogs, if single keys are turned on. */
export function useShortcut(key: string, run: () => void): void {
  const { settings } = useSettings()
  const current = useRef(run)
  useEffect(() => {
    current.current = run
  })
  useEffect(() => {
    if (!settings.shortcuts) return
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== key || isTaken(event)) return
      event.preventDefault()
      current.current()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [key, settings.shortcuts])
}

/** Whether a modifier is held, a dialog is open, or somebody is typing. */
function isTaken({ target, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (altKey || ctrlKey || metaKey || document.querySelector('dialog[open]') !== null) return true
  if (!(target instanceof HTMLElement)) return false
  const isField = /^(TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable
  return (
    isField || (target instanceof HTMLInputElement && !/^(radio|checkbox|range|button)$/.test(target.type))
  )
}
