import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'

const members: Readonly<Record<string, string>> = {
  task: 'task',
  message: 'message',
  statusUpdate: 'status-update',
  artifactUpdate: 'artifact-update',
}

/**
 * Converts a frame of A2A 0.3's REST binding to the JSON of that version. The REST form is the version's
 * ProtoJSON: members instead of `kind`, `content` instead of `parts`, enum names. Undefined for anything
 * else.
 */
export function fromRest(value: JsonObject): JsonObject | undefined {
  if (value['kind'] !== undefined) return undefined
  for (const member in members) {
    const inner = Object.hasOwn(value, member) ? value[member] : undefined
    if (isJsonObject(inner)) return toKind(inner, members[member] ?? '')
  }
  return undefined
}

function toKind(value: JsonObject, kind: string): JsonObject {
  if (kind === 'message') return toMessage(value)
  const result: Record<string, JsonValue | undefined> = { ...value, kind }
  if (isJsonObject(value['status'])) result['status'] = toStatus(value['status'])
  if (kind === 'status-update') result['final'] = value['final'] ?? false
  if (isJsonObject(value['artifact'])) result['artifact'] = toArtifact(value['artifact'])
  if (Array.isArray(value['artifacts'])) result['artifacts'] = value['artifacts'].map(toArtifact)
  if (Array.isArray(value['history'])) result['history'] = value['history'].map(toMessage)
  return result
}

function toStatus(value: JsonObject): JsonObject {
  const { state, message } = value
  return {
    ...value,
    ...(typeof state === 'string' ? { state: toState(state) } : {}),
    ...omitUndefined({ message: message === undefined ? undefined : toMessage(message) }),
  }
}

function toState(name: string): string {
  const bare = name.startsWith('TASK_STATE_') ? name.slice('TASK_STATE_'.length) : undefined
  if (bare === undefined) return name
  if (bare === 'CANCELLED') return 'canceled'
  return bare === 'UNSPECIFIED' ? 'unknown' : bare.toLowerCase().replaceAll('_', '-')
}

function toMessage(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) return {}
  const { content, role, ...kept } = value
  return {
    ...kept,
    kind: 'message',
    role: role === 'ROLE_USER' || role === 'user' ? 'user' : 'agent',
    parts: toParts(content ?? value['parts']),
  }
}

function toArtifact(value: JsonValue): JsonObject {
  return isJsonObject(value) ? { ...value, parts: toParts(value['parts']) } : {}
}

function toParts(value: JsonValue | undefined): JsonValue {
  return Array.isArray(value) ? value.map(toPart) : (value ?? [])
}

function toPart(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || value['kind'] !== undefined) return value
  const { text, file, data, ...kept } = value
  if (typeof text === 'string') return { ...kept, kind: 'text', text }
  if (isJsonObject(file)) {
    const { fileWithUri, fileWithBytes, ...head } = file
    const content = fileWithBytes === undefined ? { uri: fileWithUri } : { bytes: fileWithBytes }
    return { ...kept, kind: 'file', file: { ...head, ...content } }
  }
  if (isJsonObject(data))
    return { ...kept, kind: 'data', data: isJsonObject(data['data']) ? data['data'] : data }
  return value
}
