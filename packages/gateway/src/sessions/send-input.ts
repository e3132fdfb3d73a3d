import type { Part, SessionState, SluiceEvent, Source } from '@sluice/protocol'
import type { Caller } from '../auth/caller.ts'
import type { Gate } from '../gate.ts'
import type { AnswerVia } from '../questions/question-notes.ts'
import { type Answer, answerEvents, cancelEvents, messageEvents, type UnfitAnswer } from './inputs.ts'
import type { Session } from './session.ts'

/** Answers a question. The first valid answer wins; why another one is ignored is logged and not told. */
export async function sendAnswer(
  gate: Gate,
  session: Session,
  caller: Caller,
  answer: Answer,
  via: AnswerVia,
): Promise<void> {
  if (session.isEnded) {
    ignoreAnswer(gate, caller, via, 'closed', session.id)
    return
  }
  const make = (state: SessionState): readonly SluiceEvent[] | undefined => {
    const events = answerEvents(state, answer, { by: caller.subject, via })
    const isLate = typeof events !== 'string' && gate.questions.isExpired(session.id, answer.token)
    if (typeof events !== 'string' && !isLate) return events
    ignoreAnswer(gate, caller, via, typeof events === 'string' ? events : 'expired', session.id)
    return undefined
  }
  await session.write((writer) => writer.make(make, { direction: 'input', source: sourceOf(caller) }))
}

/** Why an answer was none: its question is not known or not open, its time is over, or it asks for something else. */
type IgnoredReason = UnfitAnswer | 'expired' | 'forbidden'

export function ignoreAnswer(
  gate: Gate,
  caller: Caller,
  via: AnswerVia,
  reason: IgnoredReason,
  session?: string,
): void {
  gate.logger.info({ session, subject: caller.subject, transport: via, reason }, 'answer ignored')
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
