import { type Answer, type AnswerWays, toSpokenLine } from '@sluice/protocol/narrate'
import type { ListenPhrases } from '../phrases/key-phrases.ts'
import { hasNumberKeys } from './tell-keys.ts'

/** AAEP §6: a response has at most so many code points. */
const maxAnswerLength = 16_384

/** What a key answers; undefined when it is no answer to this question. */
export function answerOfKey(question: AnswerWays, key: string): Answer | undefined {
  if (key === 'y') return question.yes
  if (key === 'n') return question.no
  return hasNumberKeys(question) && /^[1-9]$/.test(key)
    ? question.choices[Number(key) - 1]?.answer
    : undefined
}

/** What a typed line answers; undefined when it is no answer to this question. */
export function parseAnswer(question: AnswerWays, line: string, phrases: ListenPhrases): Answer | undefined {
  const text = line.trim()
  if (text === '' || text.length > maxAnswerLength) return undefined
  const is = (...words: readonly (string | undefined)[]): boolean =>
    words.some((word) => word?.toLowerCase() === text.toLowerCase())
  const { isNumeric } = question
  if (isNumeric && Number.isFinite(Number(text))) return Number(text)
  const chosen =
    (isNumeric ? undefined : question.choices[Number(text) - 1]) ??
    question.choices.find(({ label, answer }) => is(label, String(answer)))
  if (chosen !== undefined) return chosen.answer
  if (question.yes !== undefined && is('y', ...wordsOf(question.yes, phrases))) return question.yes
  if (question.no !== undefined && is('n', ...wordsOf(question.no, phrases))) return question.no
  return question.typed === 'text' ? text : undefined
}

/** How an answer is told back to the one who gave it. */
export function tellAnswer(question: AnswerWays, answer: Answer, phrases: ListenPhrases): string {
  const chosen = question.choices.find((choice) => choice.answer === answer)
  const told = chosen?.label ?? wordsOf(answer, phrases)[0] ?? String(answer)
  return toSpokenLine(told).replace(/[.。]$/, '')
}

function wordsOf(answer: Answer, phrases: ListenPhrases): readonly string[] {
  if (answer === 'accept') return [phrases.accept, 'accept']
  if (answer === 'reject') return [phrases.reject, 'reject']
  if (answer === true) return [phrases.yes, 'yes']
  return answer === false ? [phrases.no, 'no'] : []
}
