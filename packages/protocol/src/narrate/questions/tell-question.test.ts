import { expect, test } from 'vitest'
import { event, confirmation as fields } from '../../testing/aaep-frames.ts'
import type { Confirmation } from '../aaep-event.ts'
import { narrationPhrasesFor } from '../phrases/phrases-for.ts'
import { toOpenQuestion } from './open-question.ts'
import { tellQuestion, tellTimeLeft } from './tell-question.ts'

const en = narrationPhrasesFor(['en'])
const openedAtMs = Date.parse('2026-05-24T14:22:11.342Z')

function deciding(more: Readonly<Record<string, string | number>> = {}) {
  const asked: unknown = event('awaiting.confirmation', { ...fields, timeout_seconds: 120, ...more })
  return toOpenQuestion(asked as Confirmation) // made as one
}

test.each([
  [0, '2 minutes left.'],
  [1000, '119 seconds left.'],
  [119_000, '1 second left.'],
  [120_000, ''],
  [-600_000, '2 minutes left.'],
])('%i ms after a question of two minutes: %j', (passedMs, told) => {
  expect(tellTimeLeft(deciding(), openedAtMs + passedMs, en)).toBe(told)
})

test('hours are told, and the day that stands for no timeout is not', () => {
  expect(tellTimeLeft(deciding({ timeout_seconds: 7300 }), openedAtMs, en)).toBe('2 hours left.')
  expect(tellTimeLeft(deciding({ timeout_seconds: 86_400 }), openedAtMs, en)).toBe('')
})

test('how it is answered stands before what happens without an answer, and not in one that must wait', () => {
  const given = { phrases: en, hints: ['Nod or shake your head.'], isNext: false, isTerse: false }
  expect(tellQuestion(deciding(), given)).toBe(
    'Question: Delete the folder. Consequence: Its files are gone. Nod or shake your head. ' +
      'Without an answer: reject.',
  )
  expect(tellQuestion(deciding(), { ...given, isNext: true })).toBe(
    'Another question, after this one: Delete the folder. Consequence: Its files are gone. ' +
      'Without an answer: reject.',
  )
})

test('a question in another language has the words of that language around it', () => {
  const es = narrationPhrasesFor(['es'])
  const given = { phrases: es, hints: [], isNext: false, isTerse: true }
  expect(tellQuestion(deciding({ reversibility: 'irreversible' }), given)).toBe(
    'Pregunta: Delete the folder. Consecuencia: Its files are gone. Esto no se puede deshacer.',
  )
})
