import { useEffect } from 'react'
import { useWaiting } from '../notify/waiting.tsx'

/** Sets the title of the page, preceded by the number of sessions that wait for an answer. */
export function usePageTitle(title: string): void {
  const { sessions } = useWaiting()
  const count = sessions.length
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Sluice`
  }, [title, count])
}
