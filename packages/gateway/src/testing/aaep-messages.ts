import { type JsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'

/** A request for the text of these sessions as it arrives. */
export function subscriptionRequest(
  sessions: readonly string[] | undefined,
  capabilities: JsonObject = {},
  choice: Readonly<Record<string, JsonValue>> = {},
): JsonObject {
  const sluice = { ...omitUndefined({ sessions }), ...choice }
  return {
    type: 'subscription.request',
    aaep_version: '1.0.0',
    subscriber_id: 'tester',
    capabilities: { coalesce_boundaries: ['none'], ...capabilities },
    ...(Object.keys(sluice).length === 0 ? {} : { extensions: { sluice } }),
  }
}

export function confirmationReply(token: string, decision: string, subscription = 'sub_0'): JsonObject {
  return {
    type: 'confirmation.reply',
    reply_token: token,
    decision,
    subscription_id: subscription,
    timestamp: '2026-05-24T14:22:30Z',
  }
}
