import type { SessionResource } from '@sluice/client'
import { memo } from 'react'
import { formatAge } from '../format/format-age.ts'
import { formatCount } from '../format/format-number.ts'
import { Link } from '../router/router.tsx'
import { agentOf, describeSession, titleOf } from './session-words.ts'
import { StatusMark } from './status-mark.tsx'

interface SessionRowProps {
  readonly session: SessionResource
  readonly isCurrent: boolean
  readonly nowMs: number
}

/** One session in the list. */
export const SessionRow = memo(function SessionRow({ session, isCurrent, nowMs }: SessionRowProps) {
  const { id, dialect, questions, findings, createdAt } = session
  return (
    <li className="session-row" data-state={session.state}>
      <Link
        to={{ page: 'session', session: id, part: 'answer' }}
        className="session-link"
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span className="session-title" dir="auto">
          {titleOf(session)}
        </span>
        <span className="session-facts">
          <StatusMark {...describeSession(session)} />
          {questions > 0 && <span className="badge badge-waiting">{formatCount(questions, 'question')}</span>}
          {findings > 0 && <span className="badge badge-bad">{formatCount(findings, 'finding')}</span>}
          <span>{agentOf(session)}</span>
          {dialect !== undefined && <span className="session-dialect">{dialect}</span>}
          <span>{formatAge(createdAt, nowMs)}</span>
        </span>
      </Link>
    </li>
  )
})
