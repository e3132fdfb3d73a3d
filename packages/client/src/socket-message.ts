import { isJsonObject, type JsonObject, type Outcome, SluiceError } from '@sluice/protocol'
import type { SessionChange, SessionResource } from './resources.ts'
import type { Signal } from './transport.ts'

/**
 * Reads a message for a reader of a session (docs/http-api.md, "WebSocket"). Skips messages of unknown type,
 * which later versions may send; throws `gateway_unreachable` for an unreadable one.
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
      // an outcome, as docs/http-api.md specifies
      return [{ type: 'end', outcome: message['outcome'] as Outcome, cursor: asText(message['cursor']) }]
    default:
      return []
  }
}

/** The same for a reader of the list of sessions. */
export function readSessionChanges(message: JsonObject): readonly SessionChange[] {
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
  return resource as SessionResource // as docs/http-api.md specifies
}
