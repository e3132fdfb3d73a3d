import { useEffect } from 'react'
import { useWaiting } from '../notify/waiting.tsx'

/** The title of the page, with how many sessions wait for an answer before it. */
export function usePageTitle(title: string): void {
  const { sessions } = useWaiting()
  const count = sessions.length
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Sluice`
  }, [title, count])
}
