import type { QuestionOpen } from '../../events.ts'
import { breach, type Finding } from '../../finding.ts'
import type { JsonObject } from '../../json.ts'
import { aaepRules } from './rules.ts'
import { toCompactType } from './wire.ts'

/** Finds a question that must not be accepted by default (the strictest reading of AAEP §4.4.1 and §6). */
export function checkDefault(value: JsonObject): Finding | undefined {
  const { type, irreversible, reversibility, risk_level, default_decision } = value
  const isIrreversible = irreversible === true || reversibility === 'irreversible'
  const isQuestion = typeof type === 'string' && toCompactType(type) === 'aaep:agent.awaiting.confirmation'
  return isQuestion && isIrreversible && risk_level !== 'low' && default_decision === 'accept'
    ? breach(aaepRules.unsafeDefault, '/default_decision')
    : undefined
}

/**
 * The same question, rejected by default where it must be. Only the agent knows the meaning of replies other
 * than `accept` and `reject`, so none of them is a safe default for an irreversible action.
 */
export function withSafeDefault(question: QuestionOpen): QuestionOpen {
  const { irreversible, risk, default: byDefault } = question
  if (irreversible !== true || risk === 'low') return question
  if (byDefault === undefined || byDefault === 'reject') return question
  const isUnsafe = question.question !== 'clarification' || byDefault === 'accept'
  return isUnsafe ? { ...question, default: 'reject' } : question
}
