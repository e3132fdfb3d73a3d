import { IsUri } from 'typebox/format'
import type { AgentIdentity } from '../../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { WireProducer } from './wire/envelope.ts'

/** The agent as AAEP names a producer. Its id is never empty. */
export function toProducer(agent: AgentIdentity | undefined): WireProducer {
  const { id, kind, version, name, model, uri } = agent ?? {}
  return {
    agent_id: (id || kind || 'unknown').toWellFormed(),
    ...omitUndefined({
      agent_version: version === undefined ? undefined : version.toWellFormed(),
      agent_name: name === undefined ? undefined : name.toWellFormed(),
      model: model === undefined ? undefined : model.toWellFormed(),
      manifest_uri: uri !== undefined && IsUri(uri) ? uri : undefined,
    }),
  }
}

/** The agent of a producer of which nothing else is known. */
function fromProducer(producer: WireProducer): AgentIdentity {
  const { agent_id, agent_version, agent_name, model, manifest_uri } = producer
  return omitUndefined({
    id: agent_id,
    version: agent_version,
    name: agent_name,
    model,
    uri: manifest_uri,
  })
}

/**
 * The agent of `producer`: the last one in the session if it matches, otherwise the one that the producer
 * describes.
 */
export function guessAgent(producer: WireProducer, last: AgentIdentity | undefined): AgentIdentity {
  return last !== undefined && isProducer(producer, last) ? last : fromProducer(producer)
}

/** Whether AAEP writes `agent` as `producer`. */
export function isProducer(producer: WireProducer, agent: AgentIdentity): boolean {
  // Most agents are written unchanged, and every event comes here.
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

/** Reads an agent from an extension. */
export function readAgent(value: JsonValue | undefined): AgentIdentity | undefined {
  if (!isJsonObject(value)) return undefined
  const isAgent = Object.entries(value).every(
    ([key, member]) => agentFields.includes(key) && typeof member === 'string',
  )
  return isAgent ? (value as JsonObject as AgentIdentity) : undefined // every field was checked
}
