import type { Check } from '../check.ts'
import { connectionChecks } from './connection-checks.ts'
import { replyChecks } from './reply-checks.ts'
import type { SubscriberRecord } from './subscriber-record.ts'

/** Every check on a subscriber, by level. */
export const subscriberChecks: readonly Check<SubscriberRecord>[] = [
  ...connectionChecks,
  ...replyChecks,
].toSorted((one, other) => one.level - other.level)
