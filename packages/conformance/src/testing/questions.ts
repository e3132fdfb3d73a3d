import { randomBytes } from 'node:crypto'
import type { Clock, JsonObject } from '@sluice/protocol'
import { pause } from '../pause.ts'
import type { Behaviour } from './behaviour.ts'

export type Decision = 'accept' | 'reject' | 'default'

/** The open questions of a producer. */
export interface Questions {
  confirm(session: string, timeoutSeconds: number, ask: (token: string) => Promise<void>): Promise<Decision>
  clarify(session: string, ask: (token: string) => Promise<void>): Promise<void>
  /** Returns whether the reply was valid. */
  take(reply: JsonObject): boolean
  /** Calls `act` when a reply that should have been ignored reverses a rejection. */
  whenTakenBack(session: string, act: () => void): void
}

interface Open {
  readonly session: string
  readonly isConfirmation: boolean
  settle(decision: Decision): void
}

export function createQuestions(behaviour: Behaviour, clock: Clock): Questions {
  const open = new Map<string, Open>()
  const used = new Map<string, { readonly session: string; readonly how: Decision }>()
  const turns = new Map<string, () => void>()

  const wait = async (
    session: string,
    ask: (token: string) => Promise<void>,
    {
      isConfirmation,
      timeoutMs,
    }: { readonly isConfirmation: boolean; readonly timeoutMs?: number | undefined },
  ): Promise<Decision> => {
    const kind = isConfirmation ? 'confirmation' : 'clarification'
    const token = `rpl_${behaviour.reusesTokens ? kind : randomBytes(16).toString('hex')}`
    let resolve: (how: Decision) => void = () => {}
    const settled = new Promise<Decision>((done) => {
      resolve = done
    })
    const settle = (how: Decision): void => {
      open.delete(token)
      used.set(token, { session, how })
      resolve(how)
    }
    open.set(token, { session, isConfirmation, settle })
    await ask(token)
    // Other checks judge questions with a short timeout.
    if (behaviour.isImpatient && isConfirmation && (timeoutMs ?? 0) > 5000) settle('accept')
    const timer =
      timeoutMs === undefined || timeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : clock.after(timeoutMs, () => settle('default'))
    const how = await settled
    timer?.clear()
    return how
  }

  const takeBack = (token: string): void => {
    const before = used.get(token)
    if (before === undefined) return
    if (before.how === 'reject' && behaviour.takesReplays) turns.get(before.session)?.()
    if (before.how === 'default' && behaviour.takesLateReplies) turns.get(before.session)?.()
  }

  return {
    confirm: (session, seconds, ask) =>
      wait(session, ask, { isConfirmation: true, timeoutMs: seconds * 1000 * behaviour.patience }),
    async clarify(session, ask) {
      await wait(session, ask, { isConfirmation: false })
      await pause(clock, 1)
    },
    whenTakenBack(session, act) {
      turns.set(session, act)
    },
    take(reply) {
      const token = String(reply['reply_token'])
      const isConfirmation = reply['type'] === 'confirmation.reply'
      const found = open.get(token)
      if (found === undefined) {
        takeBack(token)
        const any = [...open.values()].find((question) => question.isConfirmation)
        if (behaviour.takesForgedReplies && !used.has(token)) any?.settle('accept')
        return false
      }
      if (isConfirmation !== found.isConfirmation) return false
      if (isConfirmation) {
        if (behaviour.ignoresAcceptance && reply['decision'] === 'accept') return true
        found.settle(reply['decision'] === 'accept' ? 'accept' : 'reject')
        return true
      }
      const isFit = typeof reply['response'] === 'number'
      if (!(isFit || behaviour.takesIllTypedReplies) || behaviour.ignoresAnswers) return isFit
      found.settle('accept')
      return isFit
    },
  }
}
