import type { AgentResource } from '@sluice/client'
import { useClient } from '@sluice/react'
import { useCallback } from 'react'
import { useAccess } from '../access/access.tsx'
import { useWaiting } from '../notify/waiting.tsx'
import { useSessionList } from '../sessions/use-session-list.ts'
import { useAnswer } from '../shell/use-answer.ts'
import { usePageTitle } from '../shell/use-page-title.ts'
import { AskForm } from './ask-form.tsx'
import { FirstUse } from './first-use.tsx'
import { LiveCard } from './live-card.tsx'

/** How many sessions this page follows at once; the list has all of them. */
const maxCards = 4

/** What is happening, and a place to ask for more. */
export function HomePage() {
  usePageTitle('Sessions')
  const waiting = useWaiting()
  const open = useSessionList({ state: 'open' })
  const agents = useAgents()
  const { may } = useAccess()
  const working = [...waiting.sessions, ...open.sessions]
  const newest = useSessionList({})
  const shown = working.length > 0 ? working.slice(0, maxCards) : newest.sessions.slice(0, 1)
  const isEmpty = newest.phase === 'ready' && newest.sessions.length === 0

  return (
    <div className="home">
      <h1 className="visually-hidden">Sessions of this gateway</h1>
      <AskForm agents={agents} mayRun={may('run')} />
      {isEmpty ? (
        <FirstUse />
      ) : (
        <section aria-labelledby="home-now">
          <h2 id="home-now" className="section-title">
            {working.length > 0 ? 'At work now' : 'The last session'}
          </h2>
          <div className="cards">
            {shown.map(({ id }) => (
              <LiveCard key={id} id={id} />
            ))}
          </div>
        </section>
      )}
    </div>
  )
}

/** The agents of the gateway; undefined until they are known. */
function useAgents(): readonly AgentResource[] | undefined {
  const client = useClient()
  const ask = useCallback((signal: AbortSignal) => client.agents.list({ signal }), [client])
  const { answer, error } = useAnswer(ask)
  return error === undefined ? answer : []
}
