import { isJsonObject, type JsonObject, parseFrame } from '@sluice/protocol'

/** An event as a producer elsewhere sent it. */
export interface UpstreamEvent {
  readonly value: JsonObject
  readonly id: string | undefined
  /** What the producer calls the session. */
  readonly session: string
  readonly agent: string
}

/** Reads the text of one frame; undefined when it is no event of a session. */
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
 * The same event with a default that does no harm: what cannot be taken back is rejected when nobody answers. A
 * publisher is refused for such a default; a producer that is followed would not hear of it.
 */
export function withSafeDecision(value: JsonObject): JsonObject {
  if (value['default_decision'] !== 'accept') return value
  const isIrreversible = value['irreversible'] === true || value['reversibility'] === 'irreversible'
  return isIrreversible && value['risk_level'] !== 'low' ? { ...value, default_decision: 'reject' } : value
}
