import type { Part, Source } from '@sluice/protocol'
import type { Caller } from '../auth/caller.ts'
import type { Gate } from '../gate.ts'
import { type Answer, answerEvents, cancelEvents, messageEvents } from './inputs.ts'
import type { Session } from './session.ts'

/** Answers a question. The first valid answer wins; why another one is ignored is logged and not told. */
export async function sendAnswer(
  gate: Gate,
  session: Session,
  caller: Caller,
  answer: Answer,
): Promise<void> {
  if (session.isEnded) {
    gate.logger.info({ session: session.id, subject: caller.subject, reason: 'closed' }, 'answer ignored')
    return
  }
  await session.write((writer) =>
    writer.make(
      (state) => {
        const events = answerEvents(state, answer, caller.subject)
        if (typeof events !== 'string') return events
        gate.logger.info({ session: session.id, subject: caller.subject, reason: events }, 'answer ignored')
        return undefined
      },
      { direction: 'input', source: sourceOf(caller) },
    ),
  )
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
