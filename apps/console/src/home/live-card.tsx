import { useSession } from '@sluice/react'
import { Markdown } from '../markdown/markdown.tsx'
import { Link } from '../router/router.tsx'
import { QuestionArea } from '../session/question-area.tsx'
import { WhatNow } from '../session/what-now.tsx'
import { agentOf, describeSession, titleOf } from '../sessions/session-words.ts'
import { StatusMark } from '../sessions/status-mark.tsx'

/** Only the end of an answer is shown. */
const shownCharacters = 600

/** A session in brief, live: its subject, what it is doing, the end of its answer, and its questions. */
export function LiveCard({ id }: { readonly id: string }) {
  const session = useSession(id)
  const { resource, text } = session
  if (resource === undefined) return null
  return (
    <article className="card live-card" aria-labelledby={`card-${id}`}>
      <h3 id={`card-${id}`} className="live-title" dir="auto">
        <Link to={{ page: 'session', session: id, part: 'answer' }}>{titleOf(resource)}</Link>
      </h3>
      <p className="session-facts">
        <StatusMark {...describeSession(resource)} />
        <span>{agentOf(resource)}</span>
      </p>
      <QuestionArea session={session} headingLevel={4} />
      <WhatNow session={session} />
      {text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling must work by keyboard.
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
        <div className="live-text" role="group" tabIndex={0} aria-label="The end of the answer">
          <Markdown text={tailOf(text)} isOpen={resource.state !== 'ended'} outerLevel={3} />
        </div>
      )}
    </article>
  )
}

/** The last paragraphs of a text; the last characters if it has no paragraph there. */
function tailOf(text: string): string {
  if (text.length <= shownCharacters) return text
  const start = text.indexOf('\n\n', text.length - shownCharacters)
  return start < 0 ? `…${text.slice(-shownCharacters)}` : text.slice(start + 2)
}
