import { isJsonObject, type JsonObject, type Outcome, SluiceError } from '@sluice/protocol'
import { toError } from './problem.ts'
import type { Signal } from './transport.ts'

/** What a message of the gateway means to one subscription (docs/http-api.md, "WebSocket"). */
export type SocketNews =
  | { readonly type: 'signals'; readonly ref: string; readonly signals: readonly Signal[] }
  | { readonly type: 'error'; readonly ref: string | undefined; readonly error: SluiceError }

/** Reads a message; what a later version may send is passed over, what cannot be read is `gateway_unreachable`. */
export function readMessage(message: JsonObject): readonly SocketNews[] {
  const ref = typeof message['ref'] === 'string' ? message['ref'] : undefined
  switch (message['type']) {
    case 'frames':
      return forRef(ref, asArray(message['frames']).map(toFrame))
    case 'subscribed':
      return forRef(ref, [{ type: 'begun', head: asText(message['head']) }])
    case 'gap': {
      const { requested, oldest, head } = message
      return forRef(ref, [
        { type: 'gap', requested: String(requested), oldest: String(oldest), head: String(head) },
      ])
    }
    case 'end':
      return forRef(ref, [
        // an outcome of the contract
        { type: 'end', outcome: message['outcome'] as Outcome, cursor: asText(message['cursor']) },
      ])
    case 'error':
      return [{ type: 'error', ref, error: toError(message, 500) }]
    case 'heartbeat':
      return Object.entries(isJsonObject(message['cursors']) ? message['cursors'] : {}).flatMap(
        ([each, cursor]) => forRef(each, [{ type: 'moved', cursor: String(cursor) }]),
      )
    default:
      return []
  }
}

const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function forRef(ref: string | undefined, signals: readonly Signal[]): readonly SocketNews[] {
  return ref === undefined ? [] : [{ type: 'signals', ref, signals }]
}

function toFrame(value: unknown): Signal {
  if (!isJsonObject(value) || !isJsonObject(value['frame']))
    throw new SluiceError('gateway_unreachable', { message: 'What came is not a frame.' })
  return { type: 'frame', cursor: asText(value['cursor']) ?? '', frame: value['frame'] }
}
