import { SluiceError } from '@sluice/protocol'
import type { Kernel } from '../kernel.ts'
import { type GivenAnswer, ignoreAnswer, sendAnswer } from '../sessions/send-input.ts'

/**
 * Answers a question by its token alone, in any session that the caller may answer in; resolves to whether the answer
 * counts. A question that the caller may not answer looks like one that does not exist. Throws only if the answer cannot
 * be stored.
 */
export async function answerToken(kernel: Kernel, given: GivenAnswer): Promise<boolean> {
  const { caller, answer, via } = given
  const found = kernel.questions.find(answer.token)
  if (found === undefined) {
    ignoreAnswer(kernel, { caller, via, reason: 'unknown_token' })
    return false
  }
  const session = await kernel.reach(caller, found.session, 'answer').catch((error: unknown) => {
    if (error instanceof SluiceError && hidden.has(error.code)) return undefined
    throw error
  })
  if (session !== undefined)
    return sendAnswer(kernel, session, { ...given, answer: { ...answer, token: found.token } })
  ignoreAnswer(kernel, { caller, via, reason: 'forbidden', session: found.session })
  return false
}

const hidden: ReadonlySet<string> = new Set(['forbidden', 'unknown_session', 'session_deleted'])
