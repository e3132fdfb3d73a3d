import { type Answer, type AnswerWays, toSpokenLine } from '@sluice/protocol/narrate'
import type { ListenPhrases } from '../phrases/key-phrases.ts'
import { hasNumberKeys } from './tell-keys.ts'

/** AAEP §6: the maximum length of a response, in code points. */
const maxAnswerLength = 16_384

/** The answer that a key gives; undefined when it does not answer this question. */
export function answerOfKey(question: AnswerWays, key: string): Answer | undefined {
  if (key === 'y') return question.yes
  if (key === 'n') return question.no
  return hasNumberKeys(question) && /^[1-9]$/.test(key)
    ? question.choices[Number(key) - 1]?.answer
    : undefined
}

/** The answer that a typed line gives; undefined when it does not answer this question. */
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

/** An answer in the words in which it is confirmed to the person. */
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
