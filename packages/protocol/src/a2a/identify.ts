import type { FrameIdentity } from '../dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { readEnvelope } from './envelope.ts'

const members = ['task', 'message', 'statusUpdate', 'artifactUpdate'] as const

/** The task and the context that a frame names, in either version's form. */
export function identifyA2a(value: JsonValue): FrameIdentity {
  const { inner } = readEnvelope(value)
  if (!isJsonObject(inner)) return {}
  const object = inner['kind'] === undefined ? memberIn(inner) : inner
  const { taskId, contextId, status, id } = object
  const task = taskId ?? (isJsonObject(status) ? id : undefined)
  return {
    ...(typeof task === 'string' && task !== '' ? { session: task } : {}),
    ...(typeof contextId === 'string' && contextId !== '' ? { context: contextId } : {}),
  }
}

function memberIn(value: JsonObject): JsonObject {
  for (const member of members) {
    const object = Object.hasOwn(value, member) ? value[member] : undefined
    if (isJsonObject(object)) return object
  }
  return value
}
