import type { PermissionOptionKind, StopReason, ToolKind } from '@agentclientprotocol/sdk'
import { isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'

/** What an agent can do, according to its response to `initialize`. */
export interface Abilities {
  readonly protocolVersion: number | undefined
  /** The display name. */
  readonly title: string | undefined
  readonly name: string | undefined
  readonly version: string | undefined
  readonly canLoad: boolean
  readonly canResume: boolean
  readonly canList: boolean
  /** Login methods that the agent handles by itself. */
  readonly logins: readonly string[]
}

/** The agent's response to creating or resuming a session. */
export interface NativeSession {
  /** Only present for a created session. */
  readonly id: string | undefined
  readonly model: string | undefined
  /** The configuration option that holds the model, if there is one. */
  readonly modelSetting: string | undefined
  /** Whether a separate request chooses the model. Not in the stable protocol; Gemini CLI has it. */
  readonly hasModels: boolean
}

/** The fields of a tool call. Each message has some of them. */
export interface ToolFields {
  readonly id: string
  readonly name: string | undefined
  readonly title: string | undefined
  readonly kind: ToolKind | undefined
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | undefined
  readonly locations: readonly string[]
  /** Replaces the content of earlier messages. */
  readonly content: readonly JsonValue[] | undefined
  readonly input: JsonValue | undefined
  readonly output: JsonValue | undefined
}

export interface PermissionOption {
  readonly id: string
  readonly kind: PermissionOptionKind
}

const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'] as const
const statuses = ['pending', 'in_progress', 'completed', 'failed'] as const
const optionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
const toolKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const satisfies readonly ToolKind[]

export function readAbilities(result: JsonValue): Abilities {
  const { protocolVersion, agentCapabilities, agentInfo, authMethods } = toObject(result)
  const { loadSession, sessionCapabilities } = toObject(agentCapabilities)
  const { list, resume } = toObject(sessionCapabilities)
  const { title, name, version } = toObject(agentInfo)
  return {
    protocolVersion: typeof protocolVersion === 'number' ? protocolVersion : undefined,
    title: toText(title) ?? toText(name),
    name: toText(name),
    version: toText(version),
    canLoad: loadSession === true,
    canResume: isJsonObject(resume),
    canList: isJsonObject(list),
    logins: toArray(authMethods).flatMap((method) => {
      const { id, type } = toObject(method)
      return typeof id === 'string' && (type === undefined || type === 'agent') ? [id] : []
    }),
  }
}

export function readSession(result: JsonValue): NativeSession {
  const { sessionId, configOptions, models } = toObject(result)
  const setting = toArray(configOptions)
    .map(toObject)
    .find(({ type, category }) => type === 'select' && category === 'model')
  return {
    id: toText(sessionId),
    model: toText(setting?.['currentValue']) ?? toText(toObject(models)['currentModelId']),
    modelSetting: toText(setting?.['id']),
    hasModels: isJsonObject(models),
  }
}

/** The most recently used session of this directory. */
export function readLastSession(result: JsonValue, cwd: string): string | undefined {
  const sessions = toArray(toObject(result)['sessions'])
    .map(toObject)
    .filter((session) => session['cwd'] === cwd)
    .flatMap(({ sessionId, updatedAt }) =>
      typeof sessionId === 'string' ? [{ id: sessionId, at: toText(updatedAt) ?? '' }] : [],
    )
  return sessions.reduce<{ id: string; at: string } | undefined>(
    (last, session) => (last === undefined || session.at > last.at ? session : last),
    undefined,
  )?.id
}

export function readStopReason(result: JsonValue): StopReason | undefined {
  return toMember(stopReasons, toObject(result)['stopReason'])
}

export function readTool(fields: JsonObject): ToolFields | undefined {
  const { toolCallId, name, title, kind, status, locations, content, rawInput, rawOutput } = fields
  if (typeof toolCallId !== 'string') return undefined
  return {
    id: toolCallId,
    name: toText(name),
    title: toText(title),
    kind: toMember(toolKinds, kind),
    status: toMember(statuses, status),
    locations: toArray(locations).flatMap((location) => toText(toObject(location)['path']) ?? []),
    content: Array.isArray(content) ? content : undefined,
    input: rawInput ?? undefined,
    output: rawOutput ?? undefined,
  }
}

export function readOptions(options: JsonValue | undefined): readonly PermissionOption[] {
  return toArray(options).flatMap((option) => {
    const { optionId, kind } = toObject(option)
    const known = toMember(optionKinds, kind)
    return typeof optionId === 'string' && known !== undefined ? [{ id: optionId, kind: known }] : []
  })
}

export function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

export function toArray(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

/** A string that is not empty. */
export function toText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function toCount(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function toMember<T extends string>(known: readonly T[], value: JsonValue | undefined): T | undefined {
  return known.find((member) => member === value)
}
