import type { JsonObject } from '@sluice/protocol'
import type { SubscriberBehaviour } from './broken-subscriber.ts'
import { without } from './defect.ts'

/** One thing that a subscriber does wrong, and the check that must find it. */
export interface SubscriberDefect {
  readonly check: string
  readonly says: string
  readonly behaviour: Partial<SubscriberBehaviour>
}

/** Changes the messages of one type, and leaves the others alone. */
function on(type: string, change: (message: JsonObject) => JsonObject): Partial<SubscriberBehaviour> {
  return { send: (message) => (message['type'] === type ? change(message) : message) }
}

const capabilities = { supported_conformance_levels: [1, 2] }

/** One defect for each check on subscribers. */
export const subscriberDefects: readonly SubscriberDefect[] = [
  { check: 'S1-CONN-001', says: 'does not come', behaviour: { staysAtHome: true } },
  { check: 'S1-TOL-001', says: 'leaves at the unknown', behaviour: { leavesAtTheUnknown: true } },
  {
    check: 'S2-CAP-001',
    says: 'claims level 2 without replies',
    behaviour: on('subscription.request', (it) => ({ ...it, capabilities })),
  },
  {
    check: 'S2-REPLY-001',
    says: 'sends no timestamp',
    behaviour: on('confirmation.reply', (it) => without(it, 'timestamp')),
  },
  {
    check: 'S2-REPLY-002',
    says: 'invents a token',
    behaviour: on('clarification.reply', (it) => ({ ...it, reply_token: 'rpl_invented' })),
  },
  {
    check: 'S2-REPLY-003',
    says: 'names another subscription',
    behaviour: on('confirmation.reply', (it) => ({ ...it, subscription_id: 'sub_another' })),
  },
  { check: 'S2-REPLY-004', says: 'answers twice', behaviour: { answersTwice: true } },
  { check: 'S2-REPLY-005', says: 'answers late', behaviour: { answersLate: true } },
  {
    check: 'S2-REPLY-006',
    says: 'answers with the label',
    behaviour: on('clarification.reply', (it) => ({ ...it, response: 'Blue' })),
  },
  {
    check: 'S2-REPLY-007',
    says: 'takes reject for accept',
    behaviour: on('confirmation.reply', (it) => ({ ...it, decision: 'accept' })),
  },
  { check: 'S2-AUTO-001', says: 'answers by itself', behaviour: { answersByItself: true } },
  {
    check: 'S3-REQ-001',
    says: 'asks without a name',
    behaviour: on('subscription.request', (it) => without(it, 'subscriber_id')),
  },
  {
    check: 'S3-REN-001',
    says: 'renegotiates another subscription',
    behaviour: on('subscription.renegotiate', (it) => ({ ...it, subscription_id: 'sub_another' })),
  },
  { check: 'S3-RES-001', says: 'stays away', behaviour: { staysAway: true } },
  { check: 'S3-RES-002', says: 'forgets its place', behaviour: { forgetsItsPlace: true } },
]
