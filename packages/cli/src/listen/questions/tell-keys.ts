import type { AnswerWays, OpenQuestion } from '@sluice/protocol/narrate'
import type { KeyPhrases } from '../phrases/key-phrases.ts'

/** Which keys answer a question, in sentences. */
export function tellKeys(question: OpenQuestion, phrases: KeyPhrases): readonly string[] {
  const { event, yes, no, choices, typed } = question
  const isConfirmation = event.type === 'aaep:agent.awaiting.confirmation'
  return [
    ...(yes === undefined && no === undefined
      ? []
      : [isConfirmation ? phrases.pressAcceptReject : phrases.pressYesNo]),
    ...(hasNumberKeys(question) ? [phrases.pressNumber] : []),
    ...(typed === 'number' || (choices.length > 9 && typed === undefined) ? [phrases.pressToTypeNumber] : []),
    ...(typed === 'text' ? [phrases.pressToType] : []),
  ]
}

/** Whether this key alone chooses: with ten choices or more, 1 may be the beginning of 10. */
export function hasNumberKeys({ choices }: AnswerWays): boolean {
  return choices.length > 0 && choices.length <= 9
}
