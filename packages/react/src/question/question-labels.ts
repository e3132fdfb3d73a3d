import type { QuestionType, Risk } from '@sluice/protocol'

/** The texts of a question that do not come from the agent. */
export interface QuestionLabels {
  readonly kinds: Readonly<Record<QuestionType, string>>
  readonly consequence: string
  readonly risks: Readonly<Record<Risk, string>>
  readonly irreversible: string
  timeLeft(ms: number): string
  /** Without a name there is no default, and the question waits. */
  byDefault(label: string | undefined): string
  readonly accept: string
  readonly reject: string
  readonly yes: string
  readonly no: string
  readonly typeText: string
  readonly typeNumber: string
  readonly send: string
  readonly sending: string
  notSent(reason: string): string
  /** For an answer that came too late. */
  readonly notCounted: string
  /** How it was closed; `isElsewhere` when the answer was not given here. */
  answered(answer: string, how: { readonly by: string | undefined; readonly isElsewhere: boolean }): string
  /** The agent reports an answer that did not come through the gateway; `by` is the name that the agent gives. */
  claimed(answer: string | undefined, by: string | undefined): string
  timedOut(answer: string | undefined): string
  readonly withdrawn: string
}

export const englishQuestionLabels: QuestionLabels = {
  kinds: {
    confirmation: 'The agent asks for your permission',
    clarification: 'The agent asks a question',
    authorization: 'The agent asks to be authorized',
  },
  consequence: 'What happens:',
  risks: { low: 'Low risk', medium: 'Medium risk', high: 'High risk' },
  irreversible: 'Cannot be undone',
  timeLeft: (ms) => (ms <= 0 ? 'The time is up' : `${formatSpan(ms)} left to answer`),
  byDefault: (label) =>
    label === undefined ? 'Waits until somebody answers' : `Without an answer: ${label}`,
  accept: 'Accept',
  reject: 'Reject',
  yes: 'Yes',
  no: 'No',
  typeText: 'Your answer',
  typeNumber: 'Your answer, a number',
  send: 'Send',
  sending: 'Sending your answer…',
  notSent: (reason) => `Your answer was not sent. ${reason}`,
  notCounted: 'This question was already closed; your answer did not count.',
  answered: (answer, { by, isElsewhere }) =>
    `${isElsewhere ? 'Answered elsewhere' : 'You answered'}: ${answer}${isElsewhere && by !== undefined ? `, by ${by}` : ''}.`,
  claimed: (answer, by) =>
    `The agent says that ${by ?? 'somebody'} answered${answer === undefined ? '' : `: ${answer}`}.`,
  timedOut: (answer) =>
    answer === undefined ? 'Nobody answered in time.' : `Nobody answered in time: ${answer}.`,
  withdrawn: 'The question was withdrawn.',
}

function formatSpan(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
