import type { AaepFrame } from '@sluice/protocol/dialects'
import { parseObject } from '../parse-object.ts'
import { readSse, type SseParts } from '../sse-stream.ts'
import type { AaepTransport } from './event-transport.ts'
import { aaepRoot } from './handshake.ts'

/** Reads a subscription as server-sent events over fetch (docs/aaep.md, "Connections"). */
export function createSseEvents(parts: SseParts): AaepTransport {
  return async function* read({ subscription, lastEventId }, attempt) {
    const last = lastEventId()
    const headers: Record<string, string> = last === '' ? {} : { 'last-event-id': last }
    const query = { subscription_id: subscription }
    const call = { root: aaepRoot, path: ['events'], query, headers } as const
    for await (const batch of readSse(call, attempt, parts))
      yield {
        events: batch.messages.filter(isEvent).map(({ data }) => toEvent(data)),
        lastEventId: batch.lastEventId,
      }
  }
}

/** AAEP names its events; a producer among the reference programs does not. */
function isEvent({ event }: { readonly event?: string }): boolean {
  return event === undefined || event === 'aaep.event'
}

function toEvent(data: string): AaepFrame {
  const event: unknown = parseObject(data)
  return event as AaepFrame // what the gateway encodes fits its schema
}
