import type { Answer } from '@sluice/client'
import type { QuestionClose } from '@sluice/protocol'
import type { AnswerWays } from './answer-ways.ts'
import type { QuestionLabels } from './question-labels.ts'

/** How a question was closed, in a sentence. `sent` is the answer that was given here, if any. */
export function describeClose(
  closed: QuestionClose,
  ways: AnswerWays,
  { labels, sent }: { readonly labels: QuestionLabels; readonly sent?: Answer | undefined },
): string {
  const told = closed.decision ?? closed.response
  const label = told === undefined ? undefined : labelOf(told, ways)
  if (closed.how === 'cancelled') return labels.withdrawn
  if (closed.how === 'timeout') return labels.timedOut(label)
  if (isClaimed(closed)) return labels.claimed(label, closed.claimedBy)
  const isOurs = sent !== undefined && toValue(sent) === told
  return labels.answered(label ?? '', { by: closed.by, isElsewhere: !isOurs })
}

/** True for an answer that only the agent reports. The gateway names the sender of every answer that it received. */
export function isClaimed({ how, by }: QuestionClose): boolean {
  return how === 'answered' && by === undefined
}

function labelOf(told: string | number | boolean, { buttons }: AnswerWays): string {
  return buttons.find(({ answer }) => toValue(answer) === told)?.label ?? String(told)
}

function toValue(answer: Answer): string | number | boolean {
  return 'decision' in answer ? answer.decision : answer.response
}
