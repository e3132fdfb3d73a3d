import { omitUndefined } from '@sluice/protocol'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { QuestionView } from '../session/session-view.ts'
import { Question } from './question.tsx'

const question: QuestionView = {
  token: 't',
  asked: {
    kind: 'question-open',
    question: 'confirmation',
    token: 't',
    text: 'Book the trip?',
    consequence: '186 EUR are charged.',
    risk: 'high',
    irreversible: true,
    timeoutMs: 60_000,
    default: 'reject',
  },
  openedAt: 0,
  deadline: Date.now() + 60_500,
  closed: undefined,
}
const render = (view: QuestionView, readOnly?: string) =>
  renderToStaticMarkup(
    <Question question={view} onAnswer={async () => {}} {...omitUndefined({ readOnly })} />,
  )

test('an open question tells consequence, risk, time and default, and is answered by buttons', () => {
  const html = render(question)
  for (const told of [
    'Book the trip?',
    '186 EUR',
    'High risk',
    'Cannot be undone',
    'left to answer',
    'Without an answer: Reject',
  ])
    expect(html).toContain(told)
  expect(html.match(/<button/g)).toHaveLength(2)
  expect(html).not.toMatch(/aria-live|role="alert"|autofocus/i)
  expect(html).toContain('<p data-part="notice" role="status"></p>')
})

test('those who may not answer are told why in place of the buttons', () => {
  const html = render(question, 'You need a key.')
  expect(html).toContain('You need a key.')
  expect(html).not.toContain('<button')
})

test('a closed question tells how it was closed, and cannot be answered', () => {
  const closed = {
    kind: 'question-close',
    token: 't',
    how: 'answered',
    decision: 'accept',
    by: 'ada',
  } as const
  const html = render({ ...question, closed })
  expect(html).toContain('Answered elsewhere: Accept, by ada.')
  expect(html).not.toContain('<button')
  expect(html).not.toContain('left to answer')
  expect(html).not.toContain('data-claimed')
})

test('an answer that only the agent reports is told as its claim', () => {
  const closed = {
    kind: 'question-close',
    token: 't',
    how: 'answered',
    decision: 'accept',
    claimedBy: 'ada',
  } as const
  const html = render({ ...question, closed })
  expect(html).toMatch(
    /<p data-part="outcome" data-claimed="true">The agent says that ada answered: Accept\.</,
  )
})
