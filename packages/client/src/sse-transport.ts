import type { Outcome, SseMessage } from '@sluice/protocol'
import { parseObject } from './parse-object.ts'
import { readJson } from './requester.ts'
import type { SessionResource } from './resources.ts'
import { readSse, type SseParts } from './sse-stream.ts'
import type { ReadRequest, Signal, Transport } from './transport.ts'

/** Reads a session as server-sent events over fetch (docs/http-api.md, "Reading"). */
export function createSseTransport(parts: SseParts): Transport {
  return async function* read(request, attempt) {
    const call = {
      path: ['sessions', request.session, request.resource],
      query: { dialect: request.dialect, after: request.after(), coalesce: request.coalesce },
    }
    let lastEventId = ''
    let isBegun = false
    for await (const batch of readSse(call, attempt, parts)) {
      const signals = batch.messages.flatMap(toSignals)
      if (!isBegun) signals.unshift({ type: 'begun', head: batch.head })
      isBegun = true
      if (batch.lastEventId !== lastEventId) signals.push({ type: 'moved', cursor: batch.lastEventId })
      lastEventId = batch.lastEventId
      yield signals
    }
    yield [await readEnd(request, parts, attempt.signal)]
  }
}

function toSignals({ event, id, data }: SseMessage): Signal[] {
  if (event === undefined) return [{ type: 'frame', cursor: id ?? '', frame: parseObject(data), text: data }]
  if (event === 'sluice.gap') {
    const { requested, oldest, head } = parseObject(data)
    return [{ type: 'gap', requested: String(requested), oldest: String(oldest), head: String(head) }]
  }
  if (event === 'sluice.end')
    return [{ type: 'end', outcome: parseObject(data)['outcome'] as Outcome, cursor: id }] // from a gateway
  return []
}

/** A reader that is past the end gets 204, which does not say how the session ended. */
async function readEnd(request: ReadRequest, { requester }: SseParts, signal: AbortSignal): Promise<Signal> {
  const response = await requester.request({ path: ['sessions', request.session], signal })
  const { session, cursor } = await readJson<{ session: SessionResource; cursor: string }>(response, signal)
  return { type: 'end', outcome: session.outcome ?? 'completed', cursor }
}
