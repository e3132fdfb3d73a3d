import type { SessionResource } from '@sluice/client'
import { omitUndefined } from '@sluice/protocol'
import { useSession } from '@sluice/react'
import { useState } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { Link } from '../router/router.tsx'
import { FollowUp } from '../session/follow-up.tsx'
import { QuestionArea } from '../session/question-area.tsx'
import { WhatNow } from '../session/what-now.tsx'
import { agentOf, describeSession, titleOf } from '../sessions/session-words.ts'
import { StatusMark } from '../sessions/status-mark.tsx'
import { useSessionList } from '../sessions/use-session-list.ts'
import { Trouble } from '../shell/trouble.tsx'
import { usePageTitle } from '../shell/use-page-title.ts'

const shownTurns = 8

/** All sessions of a context, oldest first, as one conversation. */
export function ConversationPage({ context }: { readonly context: string }) {
  usePageTitle('Conversation')
  const { phase, sessions, hasMore, error, more } = useSessionList({ context })
  const [limit, setLimit] = useState(shownTurns)
  const turns = sessions.slice(0, limit).reverse()
  const [newest] = sessions
  return (
    <div className="conversation">
      <h1>Conversation</h1>
      <p className="note">{newest === undefined ? context : `With ${agentOf(newest)}, context ${context}`}</p>
      {error !== undefined && <Trouble what="The conversation cannot be shown." error={error} />}
      {phase === 'ready' && sessions.length === 0 && (
        <p className="note">There is no session in this context.</p>
      )}
      {(sessions.length > limit || hasMore) && (
        <button
          type="button"
          className="button"
          onClick={() => {
            setLimit(limit + shownTurns)
            if (sessions.length <= limit + shownTurns && hasMore) void more()
          }}
        >
          Show what was said before
        </button>
      )}
      <ol className="turns">
        {turns.map((session) => (
          <Turn key={session.id} session={session} isLast={session === newest} />
        ))}
      </ol>
    </div>
  )
}

function Turn({ session, isLast }: { readonly session: SessionResource; readonly isLast: boolean }) {
  const view = useSession(session.id)
  const resource = view.resource ?? session
  const answers = view.texts.filter(({ channel, text }) => channel === 'answer' && text !== '')
  return (
    <li className="turn">
      <article aria-labelledby={`turn-${session.id}`}>
        <h2 id={`turn-${session.id}`} className="request turn-request" dir="auto">
          {view.state?.request ?? titleOf(resource)}
        </h2>
        <p className="session-facts">
          <StatusMark {...describeSession(resource)} />
          <Link to={{ page: 'session', session: session.id, part: 'answer' }}>Details</Link>
        </p>
        {answers.map(({ output, take, text, isOpen, language }) => (
          <Markdown key={`${output} ${take}`} text={text} isOpen={isOpen} {...omitUndefined({ language })} />
        ))}
        <QuestionArea session={view} headingLevel={3} />
        <WhatNow session={view} />
      </article>
      {isLast && <FollowUp session={view} resource={resource} />}
    </li>
  )
}
