import { omitUndefined } from '@sluice/protocol'
import type { SessionView, TextView } from '@sluice/react'
import { memo } from 'react'
import { formatDuration } from '../format/format-duration.ts'
import { formatNumber } from '../format/format-number.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { AskedQuestions } from './asked-questions.tsx'
import { SourceList } from './source-list.tsx'
import { ToolList } from './tool-list.tsx'
import { WhatNow } from './what-now.tsx'

interface AnswerPartProps {
  readonly session: SessionView
  readonly isPast: boolean
}

/** A question and its outcome: request, answer, reasoning (separately), tools, questions, usage, end. */
export function AnswerPart({ session, isPast }: AnswerPartProps) {
  const { state, texts, calls, questions } = session
  if (state === undefined) return null
  const answers = texts.filter(({ channel, text }) => channel === 'answer' && text !== '')
  const reasoning = texts.filter(({ channel, text }) => channel === 'reasoning' && text !== '')
  const closed = questions.filter((question) => question.closed !== undefined)
  // A short request is already the title of the page.
  const isTitle = state.request?.trim() === session.resource?.title?.trim()
  const messages = state.messages.filter(({ role }) => role === 'user')
  return (
    <div className="answer-part">
      {state.request !== undefined && !isTitle && (
        <section className="request" aria-label="Request">
          <p dir="auto">{state.request}</p>
        </section>
      )}
      {!isPast && <WhatNow session={session} />}
      <h2 id="answer-title" className="visually-hidden">
        Answer
      </h2>
      {/* The announcer reads out what is added: a live region would say it twice. */}
      <section className="answer" role="log" aria-live="off" aria-labelledby="answer-title">
        {answers.length === 0 && (
          <p className="note">
            {state.end === undefined ? 'No answer yet.' : 'The session ended without an answer.'}
          </p>
        )}
        {answers.map((text) => (
          <Text key={`${text.output} ${text.take}`} text={text} />
        ))}
      </section>
      {messages.length > 0 && (
        <section aria-labelledby="answer-messages">
          <h2 id="answer-messages" className="section-title">
            Messages to the agent
          </h2>
          <ul className="plain-list">
            {messages.map(({ id, parts }) => (
              <li key={id} className="request" dir="auto">
                {parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ')}
              </li>
            ))}
          </ul>
        </section>
      )}
      {state.end !== undefined && <End state={state} />}
      <SourceList items={state.sources} />
      {reasoning.length > 0 && (
        <details className="reasoning">
          <summary>Reasoning</summary>
          {reasoning.map((text) => (
            <Text key={`${text.output} ${text.take}`} text={text} />
          ))}
        </details>
      )}
      {calls.length > 0 && <ToolList calls={calls} />}
      {closed.length > 0 && <AskedQuestions questions={closed} />}
      {state.usage !== undefined && <UsageFacts usage={state.usage} />}
    </div>
  )
}

/** One text. Memoised: a complete text is not rendered again. */
const Text = memo(function Text({ text }: { readonly text: TextView }) {
  const isPlain = text.contentType?.toLowerCase().startsWith('text/plain') === true
  return (
    <div className="answer-text">
      {isPlain ? (
        <p className="plain-text" dir="auto" lang={text.language}>
          {text.text}
        </p>
      ) : (
        <Markdown text={text.text} isOpen={text.isOpen} {...omitUndefined({ language: text.language })} />
      )}
      {text.isInterrupted && <p className="note">This text was interrupted.</p>}
    </div>
  )
})

type Ended = NonNullable<NonNullable<SessionView['state']>['end']>

function End({ state }: { readonly state: NonNullable<SessionView['state']> }) {
  const { outcome, error, by, claimedBy, durationMs }: Ended = state.end ?? { outcome: 'completed' }
  const words = {
    completed: 'The agent has finished.',
    failed: 'The agent has failed.',
    cancelled: 'The agent was stopped.',
    rejected: 'The request was rejected.',
  }
  const took = durationMs === undefined ? '' : ` It took ${formatDuration(durationMs)}.`
  return (
    <section className="end" data-outcome={outcome} aria-label="End">
      <p>
        <strong>{words[outcome]}</strong>
        {by !== undefined ? ` By ${by}.` : claimedBy === undefined ? '' : ` By ${claimedBy}, says the agent.`}
        {took}
      </p>
      {error?.message !== undefined && <p dir="auto">{error.message}</p>}
      {error?.hint !== undefined && <p dir="auto">{error.hint}</p>}
      {error?.code !== undefined && <code className="code-inline">{error.code}</code>}
    </section>
  )
}

function UsageFacts({ usage }: { readonly usage: NonNullable<NonNullable<SessionView['state']>['usage']> }) {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, cost, model } = usage
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Tokens in', inputTokens === undefined ? undefined : formatNumber(inputTokens)],
    ['Tokens out', outputTokens === undefined ? undefined : formatNumber(outputTokens)],
    ['Cached', cachedTokens === undefined ? undefined : formatNumber(cachedTokens)],
    ['Reasoning', reasoningTokens === undefined ? undefined : formatNumber(reasoningTokens)],
    ['Cost', cost === undefined ? undefined : `${cost.amount} ${cost.currency}`],
    ['Model', model],
  ]
  return (
    <section aria-labelledby="answer-usage">
      <h2 id="answer-usage" className="section-title">
        Usage
      </h2>
      <dl className="facts">
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  )
}
