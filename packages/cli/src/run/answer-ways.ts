import type { Answer as SentAnswer } from '@sluice/client'
import type { QuestionOpen } from '@sluice/protocol'
import type { AnswerWays } from '@sluice/protocol/narrate'
import { phrasesFor } from '../listen/phrases/phrases-for.ts'
import { parseAnswer } from '../listen/questions/parse-answer.ts'

/** The ways in which a question of the model can be answered. */
export function answerWays({ question, kinds, choices = [], allowed }: QuestionOpen): AnswerWays {
  if (question !== 'clarification') {
    const decisions = allowed ?? ['accept', 'reject']
    const others = decisions.filter((decision) => decision !== 'accept' && decision !== 'reject')
    return {
      ...(decisions.includes('accept') ? { yes: 'accept' } : {}),
      ...(decisions.includes('reject') ? { no: 'reject' } : {}),
      choices: others.map((decision) => ({ label: decision, answer: decision })),
      isNumeric: false,
    }
  }
  const accepted = kinds ?? [choices.length > 0 ? 'multiple_choice' : 'freetext']
  const isNumeric = accepted.includes('numeric')
  return {
    ...(accepted.includes('yes_no') ? { yes: true, no: false } : {}),
    choices: accepted.includes('multiple_choice')
      ? choices.map(({ label, value }) => ({ label, answer: value }))
      : [],
    ...(accepted.includes('freetext') ? { typed: 'text' } : isNumeric ? { typed: 'number' } : {}),
    isNumeric,
  }
}

/** The answer that a typed line gives; undefined when it does not answer this question. */
export function toAnswer(question: QuestionOpen, line: string): SentAnswer | undefined {
  const answer = parseAnswer(answerWays(question), line, phrasesFor(['en']))
  if (answer === undefined) return undefined
  const { token } = question
  return question.question === 'clarification'
    ? { token, response: answer }
    : { token, decision: String(answer) }
}

/** How to answer a question, in one line. */
export function answerHint(question: QuestionOpen): string {
  const { yes, no, choices, typed } = answerWays(question)
  const ways = [
    ...(yes === undefined ? [] : ['y']),
    ...(no === undefined ? [] : ['n']),
    ...(choices.length === 0 ? [] : [choices.length === 1 ? '1' : `1 to ${choices.length}`]),
    ...(typed === undefined ? [] : [typed === 'text' ? 'a text' : 'a number']),
  ]
  return `Type ${ways.join(', ').replace(/, ([^,]+)$/, ' or $1')} and press Enter.`
}
