import { isJsonObject, type JsonObject, type Outcome, SluiceError } from '@sluice/protocol'
import type { SessionNews, SessionResource } from './resources.ts'
import type { Signal } from './transport.ts'

/**
 * What a message means to one who reads a session (docs/http-api.md, "WebSocket"). What a later version may send is
 * passed over, what cannot be read is `gateway_unreachable`.
 */
export function readSignals(message: JsonObject): readonly Signal[] {
  switch (message['type']) {
    case 'frames':
      return asArray(message['frames']).map(toFrame)
    case 'subscribed':
      return [{ type: 'begun', head: asText(message['head']) }]
    case 'moved':
      return [{ type: 'moved', cursor: String(message['cursor']) }]
    case 'gap': {
      const { requested, oldest, head } = message
      return [{ type: 'gap', requested: String(requested), oldest: String(oldest), head: String(head) }]
    }
    case 'end':
      // an outcome of the contract
      return [{ type: 'end', outcome: message['outcome'] as Outcome, cursor: asText(message['cursor']) }]
    default:
      return []
  }
}

/** The same for one who follows the list of sessions. */
export function readSessionNews(message: JsonObject): readonly SessionNews[] {
  switch (message['type']) {
    case 'watching':
      return [{ type: 'begin' }]
    case 'sessions':
      return asArray(message['sessions']).map((session) => ({
        type: 'session',
        session: toResource(session),
      }))
    case 'ready':
      return [{ type: 'ready' }]
    case 'deleted':
      return [{ type: 'deleted', id: String(message['id']) }]
    default:
      return []
  }
}

const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function toFrame(value: unknown): Signal {
  if (!isJsonObject(value) || !isJsonObject(value['frame']))
    throw new SluiceError('gateway_unreachable', { message: 'What came is not a frame.' })
  return { type: 'frame', cursor: asText(value['cursor']) ?? '', frame: value['frame'] }
}

function toResource(value: unknown): SessionResource {
  if (!isJsonObject(value) || typeof value['id'] !== 'string')
    throw new SluiceError('gateway_unreachable', { message: 'What came is not a session.' })
  const resource: unknown = value
  return resource as SessionResource // the gateway's contract
}
