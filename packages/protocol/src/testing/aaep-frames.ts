import { aaep } from '../dialects/aaep/index.ts'
import type { Entry } from '../entry.ts'
import type { SluiceEvent } from '../events.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { encodeSession, entriesOf, type ReadSession, readSession } from './sessions.ts'

export const core = 'https://aaep-protocol.org/context/v1'
let made = 0

/** A core event with everything that its envelope requires. */
export function event(name: string, fields: JsonObject): JsonObject {
  made += 1
  return {
    '@context': core,
    type: name.includes(':') ? name : `aaep:agent.${name}`,
    event_id: `evt_t${made}`,
    session_id: 'sess_t1',
    timestamp: '2026-05-24T14:22:11.342Z',
    producer: { agent_id: 'tester' },
    localization_hints: { primary_language: 'en' },
    ...fields,
  }
}

export const started = event('session.started', { summary_normal: 'Started.' })
export const confirmation = {
  urgency: 'critical',
  action: 'Delete the folder.',
  consequence: 'Its files are gone.',
  reply_token: 'rpl_1',
  timeout_seconds: 60,
  default_decision: 'reject',
}

export function read(...frames: readonly JsonValue[]): ReadSession {
  return readSession(
    aaep,
    frames.map((frame) => JSON.stringify(frame)),
    { isEnded: false },
  )
}

export function codes(session: ReadSession): readonly string[] {
  return session.findings.map(({ code, path }) => `${code} ${path}`)
}

export function written(session: Pick<ReadSession, 'state' | 'entries'>): JsonObject[] {
  return encodeSession(aaep, session.state, session.entries).map(({ data }) => JSON.parse(data) as JsonObject)
}

/** The frames for foreign events, after the start of their session. */
export function writtenAs(...events: readonly SluiceEvent[]): readonly JsonObject[] {
  const entries = entriesOf([[{ kind: 'session-start' }], events])
  return written({ ...entries, entries: entries.entries.slice(1, 2) as Entry[] })
}
