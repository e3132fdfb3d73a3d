import type { SessionState } from '../session-state.ts'
import { tableValues } from '../table.ts'

/**
 * What no conversion may lose: the texts, the tools, the questions and the outcome, as a person would list
 * them.
 */
export interface Essence {
  readonly answers: readonly string[]
  readonly reasoning: readonly string[]
  readonly tools: readonly string[]
  readonly questions: readonly string[]
  readonly outcome: string | undefined
}

export function essenceOf(state: SessionState): Essence {
  const outputs = tableValues(state.outputs).filter((output) => output.take >= 0)
  const texts = (channel: string): string[] =>
    outputs.filter((output) => output.channel === channel && output.text !== '').map((output) => output.text)
  return {
    answers: texts('answer'),
    reasoning: texts('reasoning'),
    tools: tableValues(state.calls).map((call) => `${call.tool}: ${call.status ?? 'running'}`.toWellFormed()),
    questions: tableValues(state.questions).map(({ opened, closed }) =>
      `${opened.question}: ${opened.text}: ${closed?.how ?? 'open'} ${closed?.decision ?? closed?.response ?? ''}`.toWellFormed(),
    ),
    outcome: state.end?.outcome,
  }
}
