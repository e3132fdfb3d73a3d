import { IsUri } from 'typebox/format'
import type { AgentIdentity } from '../../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { WireProducer } from './wire/envelope.ts'

/** The agent as AAEP names a producer. Its id never is empty. */
export function toProducer(agent: AgentIdentity | undefined): WireProducer {
  const { id, kind, version, name, model, uri } = agent ?? {}
  return {
    agent_id: (id || kind || 'unknown').toWellFormed(),
    ...(version === undefined ? {} : { agent_version: version.toWellFormed() }),
    ...(name === undefined ? {} : { agent_name: name.toWellFormed() }),
    ...(model === undefined ? {} : { model: model.toWellFormed() }),
    ...(uri === undefined || !IsUri(uri) ? {} : { manifest_uri: uri }),
  }
}

/** The agent that a producer is, where nothing more is known. */
function fromProducer(producer: WireProducer): AgentIdentity {
  const { agent_id, agent_version, agent_name, model, manifest_uri } = producer
  return {
    id: agent_id,
    ...(agent_version === undefined ? {} : { version: agent_version }),
    ...(agent_name === undefined ? {} : { name: agent_name }),
    ...(model === undefined ? {} : { model }),
    ...(manifest_uri === undefined ? {} : { uri: manifest_uri }),
  }
}

/** The agent behind `producer`, if it may be the one who spoke last in the session. */
export function guessAgent(producer: WireProducer, last: AgentIdentity | undefined): AgentIdentity {
  return last !== undefined && isProducer(producer, last) ? last : fromProducer(producer)
}

/** Whether `agent` is written as `producer`. */
export function isProducer(producer: WireProducer, agent: AgentIdentity): boolean {
  // Most agents are written letter for letter, and every event asks.
  const isLiteral =
    producer.agent_id === (agent.id || agent.kind || 'unknown') &&
    producer.agent_version === agent.version &&
    producer.agent_name === agent.name &&
    producer.model === agent.model &&
    producer.manifest_uri === agent.uri
  return isLiteral || isSameProducer(producer, toProducer(agent))
}

function isSameProducer(a: WireProducer, b: WireProducer): boolean {
  return (
    a.agent_id === b.agent_id &&
    a.agent_version === b.agent_version &&
    a.agent_name === b.agent_name &&
    a.model === b.model &&
    a.manifest_uri === b.manifest_uri
  )
}

export function isSameAgent(a: AgentIdentity, b: AgentIdentity): boolean {
  return (
    a === b ||
    (a.id === b.id &&
      a.kind === b.kind &&
      a.version === b.version &&
      a.name === b.name &&
      a.model === b.model &&
      a.uri === b.uri)
  )
}

const agentFields: readonly string[] = ['id', 'kind', 'version', 'name', 'model', 'uri', 'session']

/** Reads an agent that an extension carries. */
export function readAgent(value: JsonValue | undefined): AgentIdentity | undefined {
  if (!isJsonObject(value)) return undefined
  const isAgent = Object.entries(value).every(
    ([key, member]) => agentFields.includes(key) && typeof member === 'string',
  )
  return isAgent ? (value as JsonObject as AgentIdentity) : undefined // every field was checked
}
