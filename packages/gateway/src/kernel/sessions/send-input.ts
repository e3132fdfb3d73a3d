import type { Part, SessionState, SluiceEvent, Source } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../kernel.ts'
import type { AnswerVia } from '../questions/question-notes.ts'
import { type Answer, answerEvent, cancelEvents, messageEvents, type UnfitAnswer } from './inputs.ts'
import type { Session } from './session.ts'

/**
 * Answers a question; resolves to whether the answer counts. The first valid one does, also when it is sent again; why
 * another one does not is logged.
 */
export async function sendAnswer(
  kernel: Kernel,
  session: Session,
  caller: Caller,
  answer: Answer,
  via: AnswerVia,
): Promise<boolean> {
  let counted = false
  const make = (state: SessionState): readonly SluiceEvent[] | undefined => {
    const event = answerEvent(state, answer, { by: caller.subject, via })
    const isLate = typeof event !== 'string' && kernel.questions.isExpired(session.id, event.token)
    counted = event === 'repeated' || (typeof event !== 'string' && !isLate)
    if (typeof event !== 'string' && !isLate) return [event]
    if (!counted) ignoreAnswer(kernel, caller, via, typeof event === 'string' ? event : 'expired', session.id)
    return undefined
  }
  await session.write((writer) => writer.make(make, { direction: 'input', source: sourceOf(caller) }))
  return counted
}

/** Why an answer was none: its question is not known or not open, its time is over, or it asks for something else. */
type IgnoredReason = UnfitAnswer | 'expired' | 'forbidden'

export function ignoreAnswer(
  kernel: Kernel,
  caller: Caller,
  via: AnswerVia,
  reason: IgnoredReason,
  session?: string,
): void {
  kernel.logger.info({ session, subject: caller.subject, transport: via, reason }, 'answer ignored')
}

/** Asks the agent to stop; answers the cursor of the entry. Throws `session_ended`. */
export async function sendCancel(
  session: Session,
  caller: Caller,
  reason: string | undefined,
): Promise<string> {
  const made = { direction: 'input', source: sourceOf(caller) } as const
  const seq = await session.write((writer) => writer.make(() => cancelEvents(reason), made))
  return String(seq)
}

/** Sends the agent a message; answers the cursor of the entry. Throws `session_ended`. */
export async function sendMessage(
  session: Session,
  caller: Caller,
  id: string,
  parts: readonly Part[],
): Promise<string> {
  const made = { direction: 'input', source: sourceOf(caller) } as const
  const seq = await session.write((writer) => writer.make(() => messageEvents(id, parts), made))
  return String(seq)
}

function sourceOf(caller: Caller): Source {
  return { dialect: 'sluice', subject: caller.subject }
}
