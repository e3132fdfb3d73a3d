import type { Choice, RunAnswer } from '@sluice/protocol'
import type { ChoiceWords, Step } from './script.ts'
import type { Stage } from './stage.ts'

/** What a story asks people for. */
export interface Questions {
  /** The choice that was made; the first where nobody makes one. */
  choose(step: Extract<Step, { do: 'choose' }>): Promise<ChoiceWords>
  /** Whether something that cannot be undone may happen; no where nobody says so. */
  confirm(text: string, consequence: string): Promise<boolean>
}

const timeoutMs = 60_000

/** `meanwhile` is done before an answer is waited for, and each time that somebody said something else. */
export function createQuestions(
  stage: Stage,
  { language, isQuiet }: { readonly language: string; readonly isQuiet: boolean },
  meanwhile: () => Promise<void>,
): Questions {
  const meta = { localization: { primary_language: language } }
  let count = 0

  const answerTo = async (token: string): Promise<RunAnswer> => {
    for (;;) {
      await meanwhile()
      const answer = stage.answerTo(token)
      if (answer !== undefined) return answer
      await stage.listen()
    }
  }

  return {
    async choose({ text, choices }) {
      const [first] = choices
      if (isQuiet) return first
      const token = `question_${++count}`
      await stage.tell({
        kind: 'question-open',
        question: 'clarification',
        token,
        text,
        kinds: ['multiple_choice'],
        choices: choices.map(({ value, label }): Choice => ({ value, label })),
        timeoutMs,
        default: first.value,
        meta,
      })
      const { response, decision } = await answerTo(token)
      return choices.find(({ value }) => value === (response ?? decision)) ?? first
    },
    async confirm(text, consequence) {
      if (isQuiet) return false
      const token = `question_${++count}`
      await stage.tell({
        kind: 'question-open',
        question: 'confirmation',
        token,
        text,
        consequence,
        timeoutMs,
        default: 'reject',
        allowed: ['accept', 'reject'],
        risk: 'high',
        irreversible: true,
        meta,
      })
      return (await answerTo(token)).decision === 'accept'
    },
  }
}
