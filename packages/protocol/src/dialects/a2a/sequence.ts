import { type A2aFrame, isTerminal } from '../../a2a/model.ts'
import { find, type Reading } from '../../a2a/reading.ts'
import { a2aRules as shared } from '../../a2a/rules.ts'
import type { Rule } from '../../finding.ts'

export const a2aRules = {
  ...shared,
  finalTooEarly: {
    code: 'final_too_early',
    source: 'A2A 0.3 §7.2.2',
    verdict: 'finding',
    sentence: 'Only a status that ends the task or waits for somebody is final.',
  },
  finalMissing: {
    code: 'final_missing',
    source: 'A2A 0.3 §7.2.2',
    verdict: 'finding',
    sentence: 'The status that ends a task is final.',
  },
} as const satisfies Record<string, Rule>

/** In 0.3, `final` says that no further events follow; it must agree with the state. */
export function checkA2a(reading: Reading, frame: A2aFrame): void {
  if (frame.type !== 'status-update') return
  const { state } = frame.status
  if (isTerminal(state)) {
    if (frame.final === false) find(reading, a2aRules.finalMissing, '/final')
  } else if (frame.final === true && state !== 'input-required' && state !== 'auth-required') {
    find(reading, a2aRules.finalTooEarly, '/final')
  }
}
