import type { Part, SessionState, SluiceEvent, Source } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../kernel.ts'
import type { AnswerVia } from '../questions/question-notes.ts'
import { type Answer, answerEvent, cancelEvents, messageEvents, type UnfitAnswer } from './inputs.ts'
import type { Session } from './session.ts'

/** An answer, its sender, and the way it arrived. */
export interface GivenAnswer {
  readonly caller: Caller
  readonly answer: Answer
  readonly via: AnswerVia
}

/**
 * Answers a question; resolves to whether the answer counts. The first valid answer counts, even if it is sent again;
 * for any other answer, the reason is logged.
 */
export async function sendAnswer(
  kernel: Kernel,
  session: Session,
  { caller, answer, via }: GivenAnswer,
): Promise<boolean> {
  let counted = false
  const make = (state: SessionState): readonly SluiceEvent[] | undefined => {
    const event = answerEvent(state, answer, { by: caller.subject, via })
    const isLate = typeof event !== 'string' && kernel.questions.isExpired(session.id, event.token)
    counted = event === 'repeated' || (typeof event !== 'string' && !isLate)
    if (typeof event !== 'string' && !isLate) return [event]
    const reason = typeof event === 'string' ? event : 'expired'
    if (!counted) ignoreAnswer(kernel, { caller, via, reason, session: session.id })
    return undefined
  }
  await session.write((writer) => writer.make(make, { direction: 'input', source: sourceOf(caller) }))
  return counted
}

export interface IgnoredAnswer extends Omit<GivenAnswer, 'answer'> {
  readonly reason: UnfitAnswer | 'expired' | 'forbidden'
  readonly session?: string
}

/** Logs why an answer does not count. */
export function ignoreAnswer(kernel: Kernel, { caller, via, reason, session }: IgnoredAnswer): void {
  kernel.logger.info({ session, subject: caller.subject, transport: via, reason }, 'answer ignored')
}

/** Asks the agent to stop; returns the cursor of the entry. Throws `session_ended`. */
export async function sendCancel(
  session: Session,
  caller: Caller,
  reason: string | undefined,
): Promise<string> {
  const made = { direction: 'input', source: sourceOf(caller) } as const
  const seq = await session.write((writer) => writer.make(() => cancelEvents(reason), made))
  return String(seq)
}

/** Sends the agent a message; returns the cursor of the entry. Throws `session_ended`. */
export async function sendMessage(
  session: Session,
  caller: Caller,
  { id, parts }: { readonly id: string; readonly parts: readonly Part[] },
): Promise<string> {
  const made = { direction: 'input', source: sourceOf(caller) } as const
  const seq = await session.write((writer) => writer.make(() => messageEvents(id, parts), made))
  return String(seq)
}

function sourceOf(caller: Caller): Source {
  return { dialect: 'sluice', subject: caller.subject }
}
