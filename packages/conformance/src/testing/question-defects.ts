import { type Defect, isCall, on, withFields } from './defect.ts'

/** Defects of questions and replies. */
export const questionDefects: readonly Defect[] = [
  {
    check: 'L2-CONF-001',
    says: 'accepts by default',
    behaviour: withFields('awaiting.confirmation', {
      reversibility: 'irreversible',
      default_decision: 'accept',
    }),
  },
  {
    check: 'L2-CONF-003',
    says: 'asks behind the deed',
    behaviour: on('tool.invoked', (it) => [isCall(it, 'call_1') ? { ...it, irreversible: true } : it]),
  },
  { check: 'L2-CONF-002', says: 'uses a token twice', behaviour: { reusesTokens: true } },
  { check: 'L2-CONF-004', says: 'does not wait', behaviour: { isImpatient: true } },
  { check: 'L2-CONF-005', says: 'acts in spite of a rejection', behaviour: { actsOnRejection: true } },
  { check: 'L2-CONF-006', says: 'falls silent at a rejection', behaviour: { isSilentAfterRejection: true } },
  { check: 'L2-CONF-007', says: 'ignores an acceptance', behaviour: { ignoresAcceptance: true } },
  { check: 'L2-CONF-008', says: 'hides the outcome', behaviour: { hidesOutcomes: true }, isAdvice: true },
  { check: 'L2-CLAR-001', says: 'ignores answers', behaviour: { ignoresAnswers: true } },
  {
    check: 'L2-CLAR-002',
    says: 'names no choices',
    behaviour: withFields('awaiting.clarification', {
      accepted_response_kinds: ['numeric', 'multiple_choice'],
    }),
  },
  { check: 'L2-REPLY-001', says: 'takes forged replies', behaviour: { takesForgedReplies: true } },
  { check: 'L2-REPLY-002', says: 'tells why', behaviour: { tellsWhy: true } },
  { check: 'L2-REPLY-003', says: 'takes replays', behaviour: { takesReplays: true } },
  { check: 'L2-REPLY-004', says: 'takes answers of any kind', behaviour: { takesIllTypedReplies: true } },
  { check: 'L2-REPLY-005', says: 'takes late replies', behaviour: { takesLateReplies: true } },
  { check: 'L2-TIME-001', says: 'gives up early', behaviour: { patience: 0.2 } },
  { check: 'L2-TIME-002', says: 'never times out', behaviour: { patience: Number.POSITIVE_INFINITY } },
  { check: 'L2-TIME-003', says: 'acts at the timeout', behaviour: { actsOnDefault: true } },
]
