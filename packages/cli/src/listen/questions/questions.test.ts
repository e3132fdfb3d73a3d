import {
  type Answer,
  type Clarification,
  type Confirmation,
  tellQuestion,
  toOpenQuestion,
} from '@sluice/protocol/narrate'
import { describe, expect, test } from 'vitest'
import { phrasesFor } from '../phrases/phrases-for.ts'
import { clarification, confirmation } from '../testing/scripted-session.ts'
import { answerOfKey, parseAnswer } from './parse-answer.ts'
import { tellKeys } from './tell-keys.ts'

type Fields = Readonly<Record<string, unknown>>
const en = phrasesFor(['en'])
const es = phrasesFor(['es'])
const asking = (more: Fields = {}) => toOpenQuestion(clarification(more) as Clarification) // made as one
const deciding = (more: Fields = {}) => toOpenQuestion(confirmation(more) as Confirmation) // made as one

const many = Array.from({ length: 12 }, (_, index) => ({
  value: `v${index + 1}`,
  label: `Label ${index + 1}`,
}))
const choice = { accepted_response_kinds: ['multiple_choice'], choices: many.slice(0, 3) }

describe('a key', () => {
  test.each<[string, ReturnType<typeof asking>, string, Answer | undefined]>([
    ['accepts', deciding(), 'y', 'accept'],
    ['rejects', deciding(), 'n', 'reject'],
    ['is not allowed', deciding({ allowed_replies: ['reject'] }), 'y', undefined],
    ['chooses another reply', deciding({ allowed_replies: ['accept', 'reject', 'later'] }), '1', 'later'],
    ['says yes', asking({ accepted_response_kinds: ['yes_no'] }), 'y', true],
    ['says no', asking({ accepted_response_kinds: ['yes_no'] }), 'n', false],
    ['chooses', asking(choice), '3', 'v3'],
    ['chooses nothing', asking(choice), '4', undefined],
    ['may begin a longer number', asking({ ...choice, choices: many }), '1', undefined],
    ['is no text', asking(), 'y', undefined],
  ])('%s', (_, question, key, answer) => {
    expect(answerOfKey(question, key)).toBe(answer)
  })
})

describe('a typed line', () => {
  test.each<[string, ReturnType<typeof asking>, string, Answer | undefined]>([
    ['is text', asking(), '  the late one ', 'the late one'],
    ['is nothing', asking(), '  ', undefined],
    ['is too long', asking(), 'x'.repeat(16_385), undefined],
    ['is a number', asking({ accepted_response_kinds: ['numeric'] }), '-2.5', -2.5],
    ['is no number', asking({ accepted_response_kinds: ['numeric'] }), 'two', undefined],
    ['is a choice by number', asking({ ...choice, choices: many }), '12', 'v12'],
    ['is a choice by label', asking(choice), 'label 2', 'v2'],
    ['is no choice', asking(choice), '9', undefined],
    [
      'is a number and no choice',
      asking({ ...choice, accepted_response_kinds: ['multiple_choice', 'numeric'] }),
      '2',
      2,
    ],
    ['is a decision', deciding(), 'Accept', 'accept'],
    ['is a decision that is not allowed', deciding({ allowed_replies: ['accept'] }), 'reject', undefined],
    ['is a word that is no decision', deciding(), 'maybe', undefined],
    ['is yes', asking({ accepted_response_kinds: ['yes_no'] }), 'yes', true],
  ])('%s', (_, question, line, answer) => {
    expect(parseAnswer(question, line, en)).toBe(answer)
  })

  test('may be in the language of the listener', () => {
    expect(parseAnswer(deciding(), 'rechazar', es)).toBe('reject')
    expect(parseAnswer(asking({ accepted_response_kinds: ['yes_no'] }), 'sí', es)).toBe(true)
  })
})

test('a question in another language has the words of that language around it', () => {
  const question = deciding({ reversibility: 'irreversible' })
  const given = { phrases: es, hints: tellKeys(question, es), isNext: false, isTerse: true }
  expect(tellQuestion(question, given)).toBe(
    'Pregunta: Book two seats. Consecuencia: Your card is charged 24 euros. Esto no se puede deshacer. ' +
      'Pulse y para aceptar, n para rechazar.',
  )
})
