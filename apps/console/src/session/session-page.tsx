import { type SessionView, useSession, useSessionAt } from '@sluice/react'
import { lazy, Suspense, useRef } from 'react'
import { Listening } from '../listen/listening.tsx'
import { useOutlineStore } from '../outline/use-outline.ts'
import type { Route } from '../router/route.ts'
import { navigate } from '../router/router.tsx'
import { titleOf } from '../sessions/session-words.ts'
import { CommandLine } from '../shell/command-line.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { Trouble } from '../shell/trouble.tsx'
import { usePageTitle } from '../shell/use-page-title.ts'
import { AnswerPart } from './answer-part.tsx'
import { FollowUp } from './follow-up.tsx'
import { PartLinks } from './part-links.tsx'
import { QuestionArea } from './question-area.tsx'
import { Scrubber } from './scrubber.tsx'
import { SessionHeader } from './session-header.tsx'
import { useLagSamples } from './use-lag-samples.ts'

const ChartsPart = lazy(async () => ({ default: (await import('./charts-part.tsx')).ChartsPart }))
const TimelinePart = lazy(async () => ({ default: (await import('./timeline-part.tsx')).TimelinePart }))

type SessionRoute = Extract<Route, { readonly page: 'session' }>

/** One session: its questions, its answer, everything that happened, and its state at any moment. */
export function SessionPage({ route }: { readonly route: SessionRoute }) {
  const { session: id, part, at } = route
  const session = useSession(id)
  const past = useSessionAt(id, at)
  const outline = useOutlineStore(id)
  const lag = useLagSamples(id, { isLive: session.connection.status === 'live' })
  const question = useRef<HTMLElement>(null)
  const { resource, phase, error } = session
  usePageTitle(resource === undefined ? id : titleOf(resource))
  useShortcut('q', () => question.current?.focus())
  useShortcut('l', () => {
    if (at !== undefined) goTo(undefined)
  })

  const goTo = (seq: number | undefined): void => {
    const { at: _at, ...rest } = route
    navigate(seq === undefined ? rest : { ...rest, at: seq }, { replace: true })
  }
  const select = (seq: number | undefined): void => {
    const { seq: _seq, ...rest } = route
    navigate(seq === undefined ? { ...rest, part: 'timeline' } : { ...rest, part: 'timeline', seq }, {
      replace: true,
    })
  }

  if (phase === 'failed' && error !== undefined)
    return (
      <section className="card">
        <h1>This session cannot be shown</h1>
        <Trouble what={`Session ${id}`} error={error}>
          <button type="button" className="button" onClick={session.retry}>
            Try again
          </button>
        </Trouble>
        <p>What this gateway has is told by:</p>
        <CommandLine command="npx sluice sessions" />
      </section>
    )
  if (resource === undefined) return <Loading session={session} />
  const shown = at === undefined ? session : past.view
  return (
    <div className="session">
      <SessionHeader session={session} resource={resource} />
      <QuestionArea session={session} headingLevel={2} ref={question} />
      <Listening id={id} isLive={resource.state !== 'ended'} />
      <Scrubber
        head={resource.seq}
        startedAt={resource.createdAt}
        at={at}
        reached={shown?.state}
        outline={outline}
        error={past.error}
        onGo={goTo}
      />
      <PartLinks route={route} />
      {part === 'answer' && shown !== undefined && <AnswerPart session={shown} isPast={at !== undefined} />}
      {part === 'answer' && shown === undefined && <p className="note">Looking back…</p>}
      <Suspense fallback={<p className="note">Loading…</p>}>
        {part === 'timeline' && <TimelinePart route={route} outline={outline} onSelect={select} />}
        {part === 'charts' && <ChartsPart route={route} outline={outline} lag={lag} />}
      </Suspense>
      <FollowUp session={session} resource={resource} />
    </div>
  )
}

function Loading({ session: { connection } }: { readonly session: SessionView }) {
  return (
    <div className="card">
      <p className="note">
        {connection.status === 'waiting'
          ? 'The gateway does not answer. The page tries again by itself.'
          : 'Loading the session…'}
      </p>
      {connection.status === 'waiting' && <CommandLine command="npm start" />}
    </div>
  )
}
