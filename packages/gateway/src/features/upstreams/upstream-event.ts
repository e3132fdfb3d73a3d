import { isJsonObject, type JsonObject, parseFrame } from '@sluice/protocol'

/** An event as a remote producer sent it. */
export interface UpstreamEvent {
  readonly value: JsonObject
  readonly id: string | undefined
  /** The producer's name for the session. */
  readonly session: string
  readonly agent: string
}

/** Reads the text of one frame; undefined when it is not an event of a session. */
export function readUpstreamEvent(text: string): UpstreamEvent | undefined {
  const parsed = parseFrame(text)
  const value = parsed.ok ? parsed.frame.value : undefined
  if (!isJsonObject(value)) return undefined
  const { session_id: session, event_id: id, producer } = value
  if (typeof session !== 'string' || session === '') return undefined
  const agent = isJsonObject(producer) ? producer['agent_id'] : undefined
  return {
    value,
    id: typeof id === 'string' ? id : undefined,
    session,
    agent: typeof agent === 'string' && agent !== '' ? agent : 'unknown',
  }
}

/**
 * The same event with a harmless default: what cannot be undone is rejected when nobody answers. A publisher
 * is refused for a dangerous default; a followed producer would not learn of the refusal.
 */
export function withSafeDecision(value: JsonObject): JsonObject {
  if (value['default_decision'] !== 'accept') return value
  const isIrreversible = value['irreversible'] === true || value['reversibility'] === 'irreversible'
  return isIrreversible && value['risk_level'] !== 'low' ? { ...value, default_decision: 'reject' } : value
}
