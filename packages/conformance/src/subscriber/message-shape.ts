import type { JsonObject } from '@sluice/protocol'
import { dialectById } from '@sluice/protocol/dialects'
import type { Evidence } from '../check.ts'
import { textOf } from '../story.ts'
import type { SubscriberRecord } from './subscriber-record.ts'

/** The schema findings on a message from the subscriber. */
export function shapeOf(where: string, message: JsonObject | undefined): readonly Evidence[] {
  if (message === undefined) return [{ where, detail: 'It is no JSON object.' }]
  return dialectById('aaep')
    .validate(message)
    .map(({ path, message: detail }) => ({ where, pointer: path, detail: detail.replace(/ \(\^.*$/, '') }))
}

/** Whether a message names a subscription that its sender was granted. */
export function isOwn(message: JsonObject, { subscriptionIds }: SubscriberRecord): boolean {
  return subscriptionIds.includes(textOf(message, 'subscription_id'))
}
