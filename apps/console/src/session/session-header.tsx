import type { SessionResource } from '@sluice/client'
import type { SessionActions, SessionView } from '@sluice/react'
import { useState } from 'react'
import { useAccess } from '../access/access.tsx'
import { ConnectionWords } from '../connection/connection-words.tsx'
import { formatAge } from '../format/format-age.ts'
import { formatCount } from '../format/format-number.ts'
import { Link } from '../router/router.tsx'
import { agentOf, describeSession, titleOf } from '../sessions/session-words.ts'
import { StatusMark } from '../sessions/status-mark.tsx'
import { CopyButton } from '../shell/copy-button.tsx'
import { LeavingButton } from '../shell/leaving-button.tsx'
import { Trouble } from '../shell/trouble.tsx'
import { useAction } from '../shell/use-action.ts'
import { useNow } from '../shell/use-now.ts'

interface SessionHeaderProps {
  readonly session: SessionView & SessionActions
  readonly resource: SessionResource
}

/** The title of a session, its state, and what can be done with it. */
export function SessionHeader({ session, resource }: SessionHeaderProps) {
  const { may } = useAccess()
  const nowMs = useNow(10_000)
  const { id, context, dialect, createdAt, labels, state, findings } = resource

  // A session that was asked to stop ends in its own time.
  const [isAsked, setAsked] = useState(false)
  const stop = useAction(async () => {
    await session.cancel()
    setAsked(true)
  })
  const isStopping = stop.isBusy || isAsked

  return (
    <header className="session-header">
      <Link to={{ page: 'home' }} className="session-back">
        All sessions
      </Link>
      <h1 className="session-name" dir="auto">
        {titleOf(resource)}
      </h1>
      <p className="session-facts">
        <StatusMark {...describeSession(resource)} />
        {state !== 'ended' && <ConnectionWords connection={session.connection} />}
        {findings > 0 && (
          <Link to={{ page: 'session', session: id, part: 'timeline' }} className="badge badge-bad">
            {formatCount(findings, 'finding')}
          </Link>
        )}
        <span>{agentOf(resource)}</span>
        {resource.agent?.model !== undefined && <span>{resource.agent.model}</span>}
        {dialect !== undefined && <span className="session-dialect">{dialect}</span>}
        <span>{formatAge(createdAt, nowMs)}</span>
        {Object.entries(labels).map(([name, value]) => (
          <span key={name} className="badge">
            {name}: {value}
          </span>
        ))}
      </p>
      <div className="session-tools">
        {context !== undefined && (
          <Link to={{ page: 'conversation', context }} className="button button-small">
            The whole conversation
          </Link>
        )}
        <CopyButton getText={() => location.href} label="Copy link" />
        <CopyButton getText={() => `npx sluice tail ${resource.id}`} label="Copy tail command" />
        {state !== 'ended' && may('answer') && (
          <LeavingButton
            className="button button-small button-danger"
            aria-disabled={isStopping}
            onClick={stop.run}
          >
            {isStopping ? 'Stopping…' : 'Stop the agent'}
          </LeavingButton>
        )}
      </div>
      {stop.error !== undefined && <Trouble what="The agent was not asked to stop." error={stop.error} />}
    </header>
  )
}
