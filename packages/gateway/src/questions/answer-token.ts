import { SluiceError } from '@sluice/protocol'
import type { Caller } from '../auth/caller.ts'
import type { Gate } from '../gate.ts'
import type { Answer } from '../sessions/inputs.ts'
import { ignoreAnswer, sendAnswer } from '../sessions/send-input.ts'
import type { AnswerVia } from './question-notes.ts'

/**
 * Answers a question by its token alone, in any session that the caller may answer in. Whether there was such a
 * question is logged and not told; only what keeps an answer from being stored is thrown.
 */
export async function answerToken(gate: Gate, caller: Caller, answer: Answer, via: AnswerVia): Promise<void> {
  const found = gate.questions.find(answer.token)
  if (found === undefined) {
    ignoreAnswer(gate, caller, via, 'unknown_token')
    return
  }
  const session = await gate.reach(caller, found.session, 'answer').catch((error: unknown) => {
    if (error instanceof SluiceError && hidden.has(error.code)) return undefined
    throw error
  })
  if (session === undefined) ignoreAnswer(gate, caller, via, 'forbidden', found.session)
  else await sendAnswer(gate, session, caller, { ...answer, token: found.token }, via)
}

const hidden: ReadonlySet<string> = new Set(['forbidden', 'unknown_session', 'session_deleted'])
