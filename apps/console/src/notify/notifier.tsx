import type { SessionResource } from '@sluice/client'
import { useEffect, useRef } from 'react'
import { navigate } from '../router/router.tsx'
import { agentOf, titleOf } from '../sessions/session-words.ts'
import { useSettings } from '../settings/settings-context.tsx'
import { useWaiting } from './waiting.tsx'

/** Notifies of sessions that begin to wait while the page is hidden, if person and browser allow it. */
export function Notifier() {
  const { settings } = useSettings()
  const { phase, sessions } = useWaiting()
  const known = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (phase !== 'ready') return
    const before = known.current
    known.current = new Set(sessions.map(({ id }) => id))
    if (before === undefined || !settings.notifications || !document.hidden) return
    for (const session of sessions) if (!before.has(session.id)) notify(session)
  }, [phase, sessions, settings.notifications])
  return null
}

function notify(session: SessionResource): void {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  const notification = new Notification(`${agentOf(session)} asks you something`, {
    body: titleOf(session),
    tag: session.id,
  })
  notification.onclick = () => {
    focus()
    navigate({ page: 'session', session: session.id, part: 'answer' })
    notification.close()
  }
}
