import { SluiceError } from '@sluice/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Kernel } from '../kernel.ts'
import type { Answer } from '../sessions/inputs.ts'
import { ignoreAnswer, sendAnswer } from '../sessions/send-input.ts'
import type { AnswerVia } from './question-notes.ts'

/**
 * Answers a question by its token alone, in any session that the caller may answer in; resolves to whether the answer
 * counts. A question that the caller may not answer is as unknown as one that does not exist. Throws only what keeps
 * an answer from being stored.
 */
export async function answerToken(
  kernel: Kernel,
  caller: Caller,
  answer: Answer,
  via: AnswerVia,
): Promise<boolean> {
  const found = kernel.questions.find(answer.token)
  if (found === undefined) {
    ignoreAnswer(kernel, caller, via, 'unknown_token')
    return false
  }
  const session = await kernel.reach(caller, found.session, 'answer').catch((error: unknown) => {
    if (error instanceof SluiceError && hidden.has(error.code)) return undefined
    throw error
  })
  if (session !== undefined)
    return sendAnswer(kernel, session, caller, { ...answer, token: found.token }, via)
  ignoreAnswer(kernel, caller, via, 'forbidden', found.session)
  return false
}

const hidden: ReadonlySet<string> = new Set(['forbidden', 'unknown_session', 'session_deleted'])
