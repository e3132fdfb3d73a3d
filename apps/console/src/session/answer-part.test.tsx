import { createSessionState, type QuestionClose } from '@sluice/protocol'
import type { QuestionView, SessionView } from '@sluice/react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { AnswerPart } from './answer-part.tsx'

const session: SessionView = {
  id: 'sess_a',
  phase: 'ready',
  error: undefined,
  resource: undefined,
  state: createSessionState({ id: 'sess_a' }),
  texts: [],
  text: '',
  calls: [],
  questions: [],
  connection: { status: 'live', behind: 0, reconnects: 0, untilMs: undefined, error: undefined },
}
const render = (more: Partial<SessionView>): string =>
  renderToStaticMarkup(<AnswerPart session={{ ...session, ...more }} isPast={false} />)

const closed = (more: Partial<QuestionClose>): QuestionView => ({
  token: 't',
  asked: { kind: 'question-open', question: 'confirmation', token: 't', text: 'Go on?' },
  openedAt: 0,
  deadline: undefined,
  closed: { kind: 'question-close', token: 't', how: 'answered', decision: 'accept', ...more },
})

test.each<[string, Partial<QuestionClose>, string]>([
  ['a person gave', { by: 'ada' }, '<dd>Accept, by ada</dd>'],
  ['the agent reports', {}, '<dd data-claimed="true">Accept, says the agent</dd>'],
  [
    'the agent reports with a name',
    { claimedBy: 'ada' },
    '<dd data-claimed="true">Accept, by ada, says the agent</dd>',
  ],
])('an answer that %s says so', (_, more, html) =>
  expect(render({ questions: [closed(more)] })).toContain(html),
)

test.each([
  ['the gateway', { by: 'ada' }, 'By ada.'],
  ['the agent', { claimedBy: 'ada' }, 'By ada, says the agent.'],
])('the end tells a name that %s gives', (_, who, words) => {
  const state = { ...createSessionState({ id: 'sess_a' }), end: { outcome: 'cancelled' as const, ...who } }
  expect(render({ state })).toContain(words)
})
